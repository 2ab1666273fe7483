// Actions at Gitea (API v1), which uses GitHub's names. All comments of an issue are one list; issues are listed newest
// first.
import { issueActions, issueTells } from "../forge.ts";

export const giteaActions = issueActions({
  comments: (number) => `/issues/${number}/comments`,
  issues: "/issues?type=issues&state=all&limit=50",
});
export const giteaTells = issueTells;
