/** Runs the statements of one Parquet file in DuckDB, in a process that ends with the server. It loads nothing else. */
import { DuckDBInstance } from '@duckdb/node-api';
import type { ParquetReply, ParquetTask } from './parquet-file.ts';

// One thread keeps the order of the rows, and leaves the other cores to the server.
const SETTINGS = {
  threads: '1',
  memory_limit: '512MB',
  preserve_insertion_order: 'false',
  temp_directory: '',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

const instance = await DuckDBInstance.create(':memory:', SETTINGS);
const connection = await instance.connect();

process.on('message', async ({ sql }: ParquetTask) => {
  let reply: ParquetReply;
  try {
    const { rowsChanged } = await connection.run(sql);
    reply = { ok: true, rows: rowsChanged };
  } catch (error) {
    reply = { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
  process.send?.(reply);
});
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
