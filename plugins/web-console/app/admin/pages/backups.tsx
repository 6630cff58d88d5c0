/** Shows the backups of the internal database; makes, verifies, restores and deletes them. */
import type { ReactNode } from 'react';
import type { Backup } from '../../../../backups/index.ts';
import { bytes } from '../../counted.ts';
import { Time } from '../../ui/time.tsx';
import { OPERATION_TEXTS } from '../operation-texts.ts';
import { Facts, State, Text } from '../parts.tsx';
import type { Action, Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = OPERATION_TEXTS.backups;
const PATH = '/api/v1/platform/backups';

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const timeOf = ({ createdAt }: Backup) => TIME.format(new Date(createdAt));

interface EndedProps {
  readonly backup: Backup;
  readonly told: string;
}

/** The server answers before the work has ended where that takes long, and what came of it stands in the backup. */
function Ended({ backup: { operation, status, errorMessage }, told }: EndedProps): ReactNode {
  if (operation !== null) return T.goesOn;
  return status === 'failed' ? <State isBad>{errorMessage ?? T.states.failed}</State> : told;
}

const doneWith = (told: string) => (result: unknown) => <Ended backup={result as Backup} told={told} />;

function actionsOf(backup: Backup): readonly Action[] {
  const { id, operation, status } = backup;
  if (operation !== null) return [];
  const path = `${PATH}/${encodeURIComponent(id)}`;
  const remove: Action = {
    label: ADMIN.delete,
    text: T.deleteText(timeOf(backup)),
    isDanger: true,
    command: () => ({ path, method: 'DELETE' }),
  };
  if (status === 'failed') return [remove];
  return [
    {
      label: T.verify,
      text: T.verifyText,
      command: () => ({ path: `${path}/verify`, method: 'POST' }),
      done: doneWith(T.verified),
    },
    {
      label: T.restore,
      title: T.restoreTitle,
      text: T.restoreText(timeOf(backup)),
      isDanger: true,
      fields: [{ name: 'confirm', label: T.confirm, isRequired: true, maxLength: 64, hint: T.confirmHint(id) }],
      command: ({ confirm = '' }) => ({ path: `${path}/restore`, method: 'POST', body: { confirm: confirm.trim() } }),
      done: doneWith(T.restored),
    },
    remove,
  ];
}

const stateOf = ({ status, operation }: Backup) => (operation === null ? T.states[status] : T.operations[operation]);

const BACKUPS: Resource<Backup> = {
  title: ADMIN.areas.backups,
  intro: T.intro,
  path: PATH,
  key: 'backups',
  hasPages: true,
  isChanging: ({ operation }) => operation !== null,
  columns: [
    { label: T.time, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { label: T.size, isNumber: true, cell: ({ sizeBytes }) => bytes(sizeBytes) },
    { label: T.state, cell: (backup) => <State isBad={backup.status === 'failed'}>{stateOf(backup)}</State> },
    { label: T.keptUntil, cell: ({ retentionExpiresAt }) => <Time at={retentionExpiresAt} /> },
  ],
  nameOf: timeOf,
  idOf: ({ id }) => id,
  create: {
    label: T.create,
    title: T.createTitle,
    text: T.createText,
    command: () => ({ path: PATH, method: 'POST' }),
    done: doneWith(T.made),
  },
  actionsOf,
  detail: ({ id, storagePath, checksum, verifiedAt, errorMessage }) => (
    <Facts
      facts={[
        { label: T.id, value: <Text>{id}</Text> },
        { label: T.file, value: <Text>{storagePath}</Text> },
        { label: T.checksum, value: <Text>{checksum}</Text> },
        { label: T.verifiedAt, value: <Time at={verifiedAt} /> },
        { label: T.error, value: <Text>{errorMessage}</Text> },
      ]}
    />
  ),
  empty: T.empty,
};

export function BackupsPage(): ReactNode {
  return <ResourcePage resource={BACKUPS} />;
}
