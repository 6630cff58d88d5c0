/** Longest wait for a conversation to be stored before a stream begins, or a failure is told. Tests set another one. */
export const NAMING_MS = 800;
