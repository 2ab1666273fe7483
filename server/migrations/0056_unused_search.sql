-- What only release 0.2 asked (0015): search_matches and search_mended took its place (0022).
drop function search_candidates(text, text, uuid);
drop function search_question(uuid, text, boolean, uuid[], tsquery);
drop function search_knows(uuid, tsquery, uuid[], tsquery);
drop function search_seen(uuid, uuid, uuid[]);
drop function search_restricted(uuid);
drop function search_any(text, text, text, text[]);
