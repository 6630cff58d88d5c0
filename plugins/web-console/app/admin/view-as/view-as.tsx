/** Makes the actions by which an administrator asks as another reader; each asks again in words first. */
import type { User } from '../../../../admin-users/index.ts';
import type { QueryResult } from '../../../../query-api/index.ts';
import type { Me } from '../../api/queries.ts';
import styles from '../admin.module.css';
import { connectionField } from '../connection-field.ts';
import { OPERATION_TEXTS } from '../operation-texts.ts';
import { filled } from '../request-body.ts';
import type { Action, FormField, Values } from '../resource.ts';
import { BUILT_IN_ROLES } from '../role-field.ts';

const T = OPERATION_TEXTS.viewAs;

/** What a reader gets of a question or a statement. */
export interface Viewed {
  /** As people call the reader. */
  readonly reader: string;
  readonly asked: string;
  readonly result: QueryResult;
}

/** Whether this server lets this administrator ask as others. */
export const hasViewAs = ({ areas }: Me): boolean => areas.includes('preview');

const ASKED: readonly FormField[] = [
  { name: 'question', label: T.question, kind: 'multiline' },
  { name: 'sql', label: T.sql, kind: 'multiline', hint: T.sqlHint },
  connectionField(),
];

interface ViewInit {
  readonly as: (values: Values) => unknown;
  readonly reader: (values: Values) => string;
  readonly show: (viewed: Viewed) => void;
}

const ask = ({ as, reader, show }: ViewInit): Pick<Action, 'command' | 'done'> => ({
  command: (values) => ({
    path: '/api/v1/admin/preview',
    method: 'POST',
    body: { ...filled(values, ['question', 'sql', 'connectionId']), as: as(values) },
  }),
  done(result, values) {
    const asked = values.question?.trim() || values.sql?.trim() || '';
    show({ reader: reader(values), asked, result: result as QueryResult });
    return T.shown(reader(values));
  },
});

export const viewAsUser = ({ id, email }: Pick<User, 'id' | 'email'>, show: ViewInit['show']): Action => ({
  label: T.action,
  title: T.title(email),
  text: T.text(email),
  fields: ASKED,
  ...ask({ as: () => ({ userId: id }), reader: () => email, show }),
});

/** `undefined`: the text is no object, which the server says. */
function claimsIn(text: string): object | undefined {
  try {
    const claims: unknown = JSON.parse(text);
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

export const viewAsClaims = (show: ViewInit['show']): Action => ({
  label: T.action,
  title: T.claimsTitle,
  text: T.claimsText,
  fields: [
    { name: 'role', label: T.role, options: BUILT_IN_ROLES, value: 'viewer' },
    {
      // As the server calls claims and role together.
      name: 'as',
      label: T.claims,
      kind: 'multiline',
      value: '{}',
      hint: T.claimsHint,
      explain: ({ as = '' }) => claimsIn(as) === undefined && <p className={styles.objection}>{T.noObject}</p>,
    },
    ...ASKED,
  ],
  ...ask({
    as: ({ role, as = '' }) => ({ claims: claimsIn(as), role }),
    reader: ({ role = '' }) => T.reader(role),
    show,
  }),
});
