/** Exports how a plugin brings a type of action. */
export { type ActionDefinition, type ActionRun, defineAction } from './define-action.ts';
export { type ActionSubject, type ActionType, type ApprovalMode, actionTypes } from './hooks.ts';
