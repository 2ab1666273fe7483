// What can be done at Gitea (API v1), which names things as GitHub does. All comments of an issue are one list; issues are listed the newest first.
import { issueActions, issueTells } from "../forge.ts";

export const giteaActions = issueActions({
  comments: (number) => `/issues/${number}/comments`,
  issues: "/issues?type=issues&state=all&limit=50",
});
export const giteaTells = issueTells;
