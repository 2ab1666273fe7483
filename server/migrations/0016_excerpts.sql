-- What a list shows of a Task's description: the beginning of its text without its Markdown, 200 characters at most.
create function plain_excerpt(markdown text) returns text language sql immutable parallel safe strict return
  left(btrim(regexp_replace(case
    -- Most texts have nothing that would have to be taken away.
    when left(markdown, 1000) !~ '[][<>#*~`_]|^[ \t]*(?:[-+]|\d+[.)])[ \t]|\n[ \t]*(?:[-+]|\d+[.)])[ \t]|---' then left(markdown, 1000)
    else regexp_replace(regexp_replace(regexp_replace(regexp_replace(left(markdown, 1000),
      '!?\[([^\]\n]*)\]\([^)\n]*\)', '\1', 'g'), -- links and images
      '</?[A-Za-z!][^>\n]*>', '', 'g'),
      '^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d+[.)][ \t]+|(?:```|~~~).*$|[-*_][ \t]*[-*_][ \t]*[-*_][-*_ \t]*$)', '', 'gn'),
      '[*~`]+(?=\S)|(?<=\S)[*~`]+|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)', '', 'g')
    end, '\s+', ' ', 'g')), 200);

-- Null: written before there were excerpts, and made when it is read.
alter table tasks add column description_excerpt text;
alter table tasks alter column description_excerpt set default '';

create function keep_excerpt() returns trigger language plpgsql as $$
begin
  new.description_excerpt := plain_excerpt(new.description_markdown);
  return new;
end $$;
create trigger excerpt_made before insert on tasks for each row when (new.description_markdown <> '') execute function keep_excerpt();
create trigger excerpt_changed before update of description_markdown on tasks for each row execute function keep_excerpt();
