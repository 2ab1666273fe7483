// Collaboration sessions: a session lets one person's browser open a socket to one text, a Task's description or a
// Document's content. The socket uses the Yjs protocol in Hocuspocus frames.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, object, single, Timestamp } from "../../types.ts";

export const CollaborationSession = single(
  object({
    id: Id,
    url: Type.String({ description: "Address of the socket." }),
    token: Type.String({ description: "Token that opens the socket until expires_at. Shown only here." }),
    document_name: Type.String({ maxLength: 200, description: "Name of the text on the socket." }),
    expires_at: Timestamp,
  }),
);

const howTo =
  "Give url, document_name and token to a Hocuspocus provider; the text is the XML fragment " +
  "`default` of its Yjs document. The token opens a socket for five minutes. The socket stays open " +
  "while you may read the text, and accepts your changes while you may change it. The service " +
  "creates a revision when nobody has typed for 30 seconds, when the last editor leaves, when " +
  "somebody reads the text and the last revision is older than 30 seconds, when one of its authors " +
  "reads it, and at least every ten minutes. The Markdown has at most 262,144 characters, including " +
  "every address, title and label. A change that exceeds this, 50,000 elements or 10,000 marks is " +
  "refused and the socket stays open: a stateless message says " +
  '`{"type":"refused","code":"document_too_large","clocks":{…}}`. Undo the changes of each Yjs ' +
  "client from its clock on, and synchronise again. Frames wait while you use more than 150 ms of " +
  "processor time a second.";
const opened = {
  description: howTo,
  auth: [S],
  status: 201,
  secret: true,
  private: true,
  returns: CollaborationSession,
  quiet: "Opening a text changes nothing; edits are recorded when a revision is created.",
} as const;
const ended = {
  description: "Closes the sockets of your session within a second.",
  auth: [S],
  private: true,
  quiet: "Leaving a text changes nothing.",
} as const;

export const openTaskSession = op(
  "POST /tasks/{task_id}/collaboration-sessions",
  "Edit the description of a Task collaboratively",
  {
    ...opened,
    creates: "/tasks/{task_id}/collaboration-sessions/{id}",
    errors: ["task_trashed", "document_too_complex"],
  },
);

export const endTaskSession = op(
  "DELETE /tasks/{task_id}/collaboration-sessions/{session_id}",
  "End your session in the description of a Task",
  ended,
);

export const openDocumentSession = op(
  "POST /documents/{document_id}/collaboration-sessions",
  "Edit a Document collaboratively",
  {
    ...opened,
    creates: "/documents/{document_id}/collaboration-sessions/{id}",
    errors: ["document_trashed"],
  },
);

export const endDocumentSession = op(
  "DELETE /documents/{document_id}/collaboration-sessions/{session_id}",
  "End your session in a Document",
  ended,
);
