// Where those who write a Document together join in. Nothing happens here until the service starts collaboration and says what to do.
export interface Place {
  workspaceId: string;
  documentId: string;
}
interface LiveSessions {
  /** Writes down what people have typed and nobody has read yet, before somebody reads it; true where there was something. */
  seal?(place: Place): Promise<boolean>;
}
export const liveSessions: LiveSessions = {};
