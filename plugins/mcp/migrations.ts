/** Creates the tables over which servers pass on messages for event streams. They are not logged: nothing in them lasts. */
import { migration } from '../internal-db/index.ts';

export const STREAMS_TABLE = 'mcp_streams';
export const MESSAGES_TABLE = 'mcp_messages';

/** Times are in milliseconds since the epoch, by the clock of the database. */
export const createStreams = migration('0001-streams', async (trx) => {
  await trx.raw(`CREATE UNLOGGED TABLE ${STREAMS_TABLE} (
      id uuid PRIMARY KEY,
      owner text NOT NULL,
      expires_at bigint NOT NULL
    )`);
  await trx.raw(`CREATE UNLOGGED TABLE ${MESSAGES_TABLE} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      stream_id uuid NOT NULL REFERENCES ${STREAMS_TABLE} ON DELETE CASCADE,
      body text NOT NULL
    )`);
  await trx.raw(`CREATE INDEX ON ${MESSAGES_TABLE} (stream_id)`);
});
