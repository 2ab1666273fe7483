// Link to an address supplied by another service. The address is untrusted, so only http and https become links.
export function Outside({ url, children }: { url: string | null; children: string }) {
  if (!url || !/^https?:\/\//i.test(url)) return <span className="break-words">{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="link break-words">
      {children}
    </a>
  );
}
