// Actions at GitHub (REST API, version 2022-11-28). It takes no keys: what we write contains a marker, and the newest
// hundred are searched for it.
import { issueActions, issueTells } from "../forge.ts";

const NEWEST = "sort=created&direction=desc&per_page=100";
export const githubActions = issueActions({
  comments: () => `/issues/comments?${NEWEST}`,
  issues: `/issues?state=all&${NEWEST}`,
});
export const githubTells = issueTells;
