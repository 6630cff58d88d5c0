/** Marks work that an administrator has done as another reader, to see what that reader gets. */
import { type Actor, scopeValue } from '../../kernel/index.ts';

/**
 * The administrator who asks, by the scope whose actor is the reader. Whoever stores something looks here first: in such a
 * scope nothing is written as the reader.
 */
export const previewedBy = scopeValue<Actor>();
