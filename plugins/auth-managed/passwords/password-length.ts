/** How long a password is: in characters, and as it is hashed, so that it does not matter how a keyboard composes them. */
import { Kind, Type, TypeRegistry } from '@sinclair/typebox';

const LENGTH = { minLength: 8, maxLength: 128 } as const;

/** UTF-16 units that are looked at; a longer text cannot be a password here, and need not be hashed to find out. */
export const MAX_PASSWORD_UNITS = LENGTH.maxLength * 8;

/** What is wrong, to follow the name of the value. */
export const PASSWORD_LENGTH_RULE = `must be ${LENGTH.minLength} to ${LENGTH.maxLength} characters long`;

/** Whether a new password is neither too short nor too long. */
export function hasPasswordLength(text: string): boolean {
  if (text.length > MAX_PASSWORD_UNITS) return false;
  const { length } = [...text.normalize('NFKC')];
  return length >= LENGTH.minLength && length <= LENGTH.maxLength;
}

TypeRegistry.Set('NewPassword', (_schema, value) => typeof value === 'string' && hasPasswordLength(value));

/** A password that is to be set. */
export const NewPassword = Type.Unsafe<string>({
  [Kind]: 'NewPassword',
  type: 'string',
  ...LENGTH,
  errorMessage: PASSWORD_LENGTH_RULE,
});

TypeRegistry.Set('DeclaredPassword', (_schema, value) => typeof value === 'string');

/** The same for documentation alone, where the length is checked by the handler. */
export const DeclaredPassword = Type.Unsafe<string>({ ...NewPassword, [Kind]: 'DeclaredPassword' });

/** A password to compare with. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: MAX_PASSWORD_UNITS });
