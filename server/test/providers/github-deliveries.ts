// What GitHub delivers: examples of @octokit/webhooks-examples 7.6.1 (MIT), with the fields that are read and those
// beside them that matter.
import type { GitHubDelivery } from "./published.ts";

export const githubDeliveries = {
  push: {
    installation: {
      id: 1,
    },
    repository: {
      id: 186853002,
      full_name: "Codertocat/Hello-World",
      html_url: "https://github.com/Codertocat/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    ref: "refs/heads/master",
    deleted: false,
    after: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
    commits: [
      {
        id: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
        message: "Initial commit",
        timestamp: "2019-05-15T15:19:25Z",
        url: "https://github.com/Codertocat/Hello-World/commit/6113728f27ae82c7b1a177c8d03f9e96e0adf246",
        author: {
          name: "Codertocat",
        },
      },
    ],
    head_commit: {
      timestamp: "2019-05-15T15:19:25Z",
    },
  },
  create: {
    repository: {
      id: 186853002,
      full_name: "Codertocat/Hello-World",
      html_url: "https://github.com/Codertocat/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    ref: "simple-tag",
    ref_type: "tag",
  },
  delete: {
    repository: {
      id: 186853002,
      full_name: "Codertocat/Hello-World",
      html_url: "https://github.com/Codertocat/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    ref: "simple-tag",
    ref_type: "tag",
  },
  pull_request: {
    action: "opened",
    installation: {
      id: 1,
    },
    repository: {
      id: 186853002,
      full_name: "Codertocat/Hello-World",
      html_url: "https://github.com/Codertocat/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    number: 2,
    pull_request: {
      number: 2,
      title: "Update the README with new information.",
      body: "This is a pretty simple change that we need to pull into master.",
      state: "open",
      draft: false,
      merged: false,
      merged_at: null,
      html_url: "https://github.com/Codertocat/Hello-World/pull/2",
      updated_at: "2019-05-15T15:20:33Z",
      author_association: "OWNER",
      user: {
        id: 21031067,
        login: "Codertocat",
      },
      head: {
        ref: "changes",
      },
    },
  },
  check_suite: {
    action: "completed",
    repository: {
      id: 186853002,
      full_name: "Codertocat/Hello-World",
      html_url: "https://github.com/Codertocat/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    check_suite: {
      status: "completed",
      conclusion: "success",
      head_sha: "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
      head_branch: "changes",
      updated_at: "2019-05-15T15:21:14Z",
      pull_requests: [
        {
          number: 2,
        },
      ],
    },
  },
  status: {
    repository: {
      id: 186853002,
      full_name: "Codertocat/Hello-World",
      html_url: "https://github.com/Codertocat/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    sha: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
    state: "success",
    branches: [
      {
        name: "master",
      },
    ],
    updated_at: "2019-05-15T15:20:55+00:00",
  },
  issue_comment: {
    action: "created",
    repository: {
      id: 186853002,
      full_name: "Codertocat/Hello-World",
      html_url: "https://github.com/Codertocat/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    issue: {
      number: 1,
    },
    comment: {
      id: 492700400,
      body: "You are totally right! I'll get this fixed right away.",
      html_url: "https://github.com/Codertocat/Hello-World/issues/1#issuecomment-492700400",
      author_association: "OWNER",
      user: {
        id: 21031067,
        login: "Codertocat",
        type: "User",
      },
    },
  },
  pull_request_review: {
    action: "submitted",
    installation: {
      id: 1,
    },
    repository: {
      id: 186853002,
      full_name: "Codertocat/Hello-World",
      html_url: "https://github.com/Codertocat/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    pull_request: {
      number: 2,
    },
    review: {
      id: 237895671,
      body: null,
      html_url: "https://github.com/Codertocat/Hello-World/pull/2#pullrequestreview-237895671",
      author_association: "OWNER",
      user: {
        id: 21031067,
        login: "Codertocat",
        type: "User",
      },
    },
  },
  installation: {
    action: "deleted",
    installation: {
      id: 2,
    },
    sender: {
      id: 1,
      login: "octocat",
      type: "User",
    },
  },
  installation_repositories: {
    action: "added",
    installation: {
      id: 957387,
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
  },
  ping: {
    repository: {
      id: 186853261,
      full_name: "Octocoders/Hello-World",
      html_url: "https://github.com/Octocoders/Hello-World",
    },
    sender: {
      id: 21031067,
      login: "Codertocat",
      type: "User",
    },
    zen: "Anything added dilutes everything else.",
    hook_id: 109948940,
  },
} satisfies {
  [Name in
    | "push"
    | "create"
    | "delete"
    | "pull_request"
    | "check_suite"
    | "status"
    | "issue_comment"
    | "pull_request_review"
    | "installation"
    | "installation_repositories"
    | "ping"]: GitHubDelivery<Name>;
};
