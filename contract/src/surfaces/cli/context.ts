// A Task with its context for a program that works on it: everything by code, bounded in size, and marked as untrusted.
import { C, op, T } from "../../kit.ts";
import {
  ContextComment,
  ContextDocument,
  ContextMilestone,
  ContextProject,
  ContextQuery,
  contextOf,
  RelatedName,
} from "../../planning/tasks/context/context.ts";
import { CliContextTask } from "./tasks.ts";

export const CliTaskContext = contextOf(CliContextTask, {
  project: ContextProject,
  milestone: ContextMilestone,
  related: RelatedName,
  document: ContextDocument,
  comment: ContextComment,
});

export const getCliTaskContext = op("GET /cli/tasks/{task_code}/context", "Read a Task with its context", {
  description:
    "Returns the Task, its Project and Milestone, related Tasks, linked Documents and the newest " +
    "comments, within the profile's bounds.",
  auth: [T, C],
  query: ContextQuery,
  returns: CliTaskContext,
});
