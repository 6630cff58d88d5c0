import { messageOf } from '../../kernel/index.ts';

/** What the system says of a file operation that failed, such as "permission denied", without code and path. */
export const fileFault = (error: unknown): string => messageOf(error).replace(/^[A-Z]+: |,.*/gs, '');
