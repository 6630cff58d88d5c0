import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { generateSimpleDemo } from './simple.ts';

const SIMPLE_SCHEMA = `
  CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT,
    phone TEXT,
    segment TEXT NOT NULL,
    country TEXT NOT NULL,
    region TEXT NOT NULL,
    city TEXT,
    signup_date DATE NOT NULL,
    marketing_opt_in BOOLEAN NOT NULL
  );
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    ordered_at TIMESTAMP NOT NULL,
    status TEXT NOT NULL,
    channel TEXT NOT NULL,
    payment_method TEXT NOT NULL,
    total_amount REAL NOT NULL,
    shipping_cost REAL NOT NULL,
    shipped_at TIMESTAMP,
    rating INTEGER
  );
  CREATE TABLE order_items (
    id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL REFERENCES orders (id),
    product_name TEXT NOT NULL,
    category TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    unit_price REAL NOT NULL,
    discount_percent INTEGER,
    line_total REAL NOT NULL
  );`;

const SIMPLE_INDEXES = `
  CREATE INDEX orders_customer_id ON orders (customer_id);
  CREATE INDEX orders_ordered_at ON orders (ordered_at);
  CREATE INDEX order_items_order_id ON order_items (order_id);`;

/**
 * Writes the `simple` demo as a SQLite file, with missing folders. The file appears at once and complete, replaces an
 * older one without disturbing its readers, and has the same bytes each time.
 */
export function createSimpleDemo(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const database = new Database(draft);
    try {
      // The draft is thrown away on failure, so a journal would only cost time.
      database.pragma('journal_mode = OFF');
      database.pragma('synchronous = OFF');
      database.transaction(() => {
        database.exec(SIMPLE_SCHEMA);
        for (const [table, rows] of Object.entries(generateSimpleDemo())) insert(database, table, rows);
        database.exec(SIMPLE_INDEXES);
      })();
    } finally {
      database.close();
    }
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function insert(database: Database.Database, table: string, rows: readonly object[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const statement = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  for (const row of rows) statement.run(Object.values(row));
}
