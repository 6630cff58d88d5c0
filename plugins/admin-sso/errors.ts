/** Makes the refusals that several files share. */
import { AtlasError } from '../../kernel/index.ts';

export function conflict(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'conflict', hint });
}

/** The refusal to change by hand a user whom an identity provider manages. */
export function provisionedUser(): AtlasError {
  return conflict(
    'The identity provider of the organization manages this user (SCIM).',
    'Change the user there, or delete the SCIM connection.',
  );
}
