/** Creates a database of three boats and a semantic layer that describes them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Environment of a server that is started in the folder. */
export const FLEET = { SVC_DATASOURCE_URL: 'sqlite:fleet.db', SVC_SEMANTIC_DIR: './semantic' };

/** Makes the database and the layer in the folder. */
export function createFleet(root: string): void {
  mkdirSync(join(root, 'semantic', 'entities'), { recursive: true });
  writeFileSync(
    join(root, 'semantic', 'entities', 'boats.yml'),
    `table: boats
description: One row per boat.
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: harbour, type: string, sample_values: [Kiel, Bremen] }
measures:
  - { name: boat_count, type: count, synonyms: [boats, vessels] }
`,
  );
  const database = new Database(join(root, 'fleet.db'));
  database.exec(`CREATE TABLE boats (id INTEGER PRIMARY KEY, harbour TEXT);
    INSERT INTO boats (harbour) VALUES ('Kiel'), ('Kiel'), ('Bremen')`);
  database.close();
}
