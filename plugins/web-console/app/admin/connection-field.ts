/** The field of a form that chooses a connection. */
import { connectionIds, HEALTH_PATH, type Health } from '../api/health.ts';
import type { FormField } from './resource.ts';
import { ADMIN } from './texts.ts';

const T = ADMIN.schedules;

export const connectionField = (value = ''): FormField => ({
  name: 'connectionId',
  label: T.connection,
  value,
  options: {
    path: HEALTH_PATH,
    options: (data) => [
      { value: '', label: T.mainConnection },
      ...connectionIds(data as Health).map((id) => ({ value: id, label: id })),
    ],
  },
});
