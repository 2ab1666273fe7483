// A way out of the application to what another service calls its address. It may say anything: only one of the web is a link.
export function Outside({ url, children }: { url: string | null; children: string }) {
  if (!url || !/^https?:\/\//i.test(url)) return <span className="break-words">{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="link break-words">
      {children}
    </a>
  );
}
