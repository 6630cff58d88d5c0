/** A PostgreSQL schema of awkward tables: names, keys, types and sizes of every kind. */
const WIDE_COLUMNS = Array.from(
  { length: 300 },
  (_, index) => `c${index + 1} ${['integer', 'text', 'date'][index % 3]}`,
);

export const AWKWARD_POSTGRES = `
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE "Point Kind" AS ENUM ('int', 'date');
CREATE DOMAIN positive_amount AS numeric(10,2) CHECK (VALUE >= 0);
CREATE SCHEMA elsewhere;
CREATE TABLE elsewhere.countries (code char(2) PRIMARY KEY, name text);
CREATE TABLE elsewhere.orders (id int PRIMARY KEY);

CREATE TABLE customers (id serial PRIMARY KEY, name text NOT NULL, mood mood, tags text[], settings jsonb, status text, country char(2) REFERENCES elsewhere.countries);
COMMENT ON TABLE customers IS 'Who buys'; COMMENT ON COLUMN customers.mood IS 'How they were when they called';
CREATE TABLE customer_details (customer_id int PRIMARY KEY REFERENCES customers, vip boolean NOT NULL DEFAULT false);
CREATE TABLE customer_cards (id serial PRIMARY KEY, customer_id int UNIQUE REFERENCES customers, kind text);
CREATE TABLE passports (id int PRIMARY KEY, customer_id int REFERENCES customers, number text);
CREATE UNIQUE INDEX ON passports (customer_id);
CREATE TABLE current_logins (id int PRIMARY KEY, customer_id int REFERENCES customers, is_current boolean);
CREATE UNIQUE INDEX ON current_logins (customer_id) WHERE is_current; CREATE UNIQUE INDEX ON current_logins (customer_id, (is_current::text));
CREATE TABLE "Orders" ("Id" serial PRIMARY KEY, "CustomerId" int NOT NULL REFERENCES customers, "OrderedAt" timestamptz NOT NULL, status text NOT NULL, "TotalAmount" numeric(10,2) NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, note text);
CREATE TABLE order_lines (order_id int REFERENCES "Orders" ("Id"), line_no int, product_code text, quantity int, unit_price numeric(8,2), gross numeric GENERATED ALWAYS AS (quantity * unit_price) STORED, PRIMARY KEY (order_id, line_no));
CREATE TABLE line_notes (id int PRIMARY KEY, order_id int, line_no int, body text, FOREIGN KEY (order_id, line_no) REFERENCES order_lines);
CREATE TABLE products (code text PRIMARY KEY, title text, price numeric(8,2), rating real, category text);
CREATE TABLE product_reviews (id int PRIMARY KEY, product_code text REFERENCES products (code), stars int, at date);
CREATE TABLE "select" ("from" int PRIMARY KEY, "where" text, "order" numeric, "group" text);
CREATE TABLE "user" (id int PRIMARY KEY, "table" text, "limit" numeric, manager_id int REFERENCES "user");
CREATE TABLE "Straße mit Leerzeichen" ("Größe in m²" numeric PRIMARY KEY, "quote""d" text, "semi;colon" int, "ünïcödé 名前" text, "%like_" int);
CREATE TABLE flights (id int PRIMARY KEY, origin text, destination text, seats int, departs_on date);
CREATE TABLE airports (code text PRIMARY KEY, city text);
ALTER TABLE flights ADD FOREIGN KEY (origin) REFERENCES airports, ADD FOREIGN KEY (destination) REFERENCES airports;
CREATE TABLE chickens (id int PRIMARY KEY, first_egg_id int);
CREATE TABLE eggs (id int PRIMARY KEY, laid_by int REFERENCES chickens, weight_g numeric);
ALTER TABLE chickens ADD FOREIGN KEY (first_egg_id) REFERENCES eggs;
CREATE TABLE logs (at timestamptz, level text, message text);
CREATE TABLE keyless (id int, amount numeric);
CREATE TABLE empty_events (id int PRIMARY KEY, customer_id int REFERENCES customers, at timestamptz);
CREATE TABLE nothing ();
CREATE TABLE measurements (at timestamptz NOT NULL, sensor_id int NOT NULL, value double precision, PRIMARY KEY (sensor_id, at)) PARTITION BY RANGE (at);
CREATE TABLE measurements_2024 PARTITION OF measurements FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE measurements_2025 PARTITION OF measurements FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE sensors (id int PRIMARY KEY, name text, location point, area box, address inet, window_open boolean);
CREATE TABLE intervals (id uuid PRIMARY KEY, took interval, during tstzrange, raw bytea, doc xml, kind "Point Kind", paid positive_amount, started time);
CREATE TABLE subscriptions (id int PRIMARY KEY, customer int, plan_id int, state text);
CREATE TABLE plans (id int PRIMARY KEY, name text, monthly_fee numeric);
CREATE TABLE addresses (id int PRIMARY KEY, town text);
CREATE TABLE deliveries (id int PRIMARY KEY, billing_address_id int, "shippingAddressId" int, id_plan int, courier_id int, amount numeric, status text);
CREATE TABLE couriers (id int PRIMARY KEY, name text);
CREATE TABLE books (isbn text PRIMARY KEY, title text);
CREATE TABLE book_copies (id int PRIMARY KEY, isbn text, state text);
CREATE TABLE categories (id int PRIMARY KEY, parent_id int, name text);
CREATE TABLE invoices (company text, number int, amount numeric, date date, status text, PRIMARY KEY (company, number));
CREATE TABLE invoice_payments (id int PRIMARY KEY, company text, number int, amount numeric, date date);
CREATE TABLE unrelated_one (id int PRIMARY KEY, external_id int, batch int);
CREATE TABLE unrelated_two (id int PRIMARY KEY, external_id int, batch int);
CREATE TABLE people (id int PRIMARY KEY, e_mail text, password text);
CREATE TABLE wide (id int PRIMARY KEY, ${WIDE_COLUMNS.join(', ')});
CREATE VIEW big_orders AS SELECT "Id" AS order_id, "CustomerId" AS customer_id, "TotalAmount" AS amount FROM "Orders" WHERE "TotalAmount" > 50;
CREATE MATERIALIZED VIEW daily_orders AS SELECT "OrderedAt"::date AS day, count(*) AS orders FROM "Orders" GROUP BY 1;

INSERT INTO elsewhere.countries VALUES ('DE', 'Germany'), ('FR', 'France');
INSERT INTO customers (name, mood, tags, settings, status, country) SELECT 'Name ' || n, (ARRAY['sad', 'ok', 'happy'])[1 + n % 3]::mood, ARRAY['a', 'b'], '{"a": 1}', (ARRAY['active', 'gone'])[1 + n % 2], 'DE' FROM generate_series(1, 60) n;
INSERT INTO customer_details SELECT n, n % 2 = 0 FROM generate_series(1, 30) n;
INSERT INTO customer_cards (customer_id, kind) SELECT n, (ARRAY['gold', 'blue'])[1 + n % 2] FROM generate_series(1, 20) n;
INSERT INTO "Orders" ("CustomerId", "OrderedAt", status, "TotalAmount") SELECT 1 + n % 60, '2025-01-01'::timestamptz + n * interval '1 day', (ARRAY['open', 'paid', 'sent'])[1 + n % 3], n FROM generate_series(1, 200) n;
INSERT INTO orders SELECT n, 'x' FROM generate_series(1, 5) n;
INSERT INTO products SELECT 'P' || n, 'Product ' || n, n, 3.5, (ARRAY['food', 'toys'])[1 + n % 2] FROM generate_series(1, 40) n;
INSERT INTO order_lines SELECT 1 + n / 3, n % 3, 'P' || (1 + n % 40), n % 7, 2.5 FROM generate_series(1, 300) n;
INSERT INTO line_notes SELECT n, 1 + n / 3, n % 3, 'note' FROM generate_series(1, 50) n;
INSERT INTO product_reviews SELECT n, 'P' || (1 + n % 40), 1 + n % 5, '2025-02-01' FROM generate_series(1, 80) n;
INSERT INTO "select" SELECT n, 'x', n, (ARRAY['a', 'b'])[1 + n % 2] FROM generate_series(1, 20) n;
INSERT INTO "user" SELECT n, 't', n, NULLIF(n - 1, 0) FROM generate_series(1, 10) n;
INSERT INTO airports VALUES ('BER', 'Berlin'), ('CDG', 'Paris');
INSERT INTO flights SELECT n, 'BER', 'CDG', 100, '2025-03-01' FROM generate_series(1, 20) n;
INSERT INTO chickens SELECT n, NULL FROM generate_series(1, 5) n; INSERT INTO eggs SELECT n, 1 + n % 5, 60 FROM generate_series(1, 20) n;
INSERT INTO logs SELECT now(), 'info', 'm' FROM generate_series(1, 20);
INSERT INTO keyless SELECT n, n FROM generate_series(1, 20) n;
INSERT INTO measurements SELECT '2024-06-01'::timestamptz + n * interval '1 day', 1 + n % 3, n FROM generate_series(1, 300) n;
INSERT INTO sensors SELECT n, 'S' || n, point(1, 2), box(point(1, 2), point(3, 4)), '10.0.0.1', true FROM generate_series(1, 3) n;
INSERT INTO intervals SELECT gen_random_uuid(), '1 hour', tstzrange('2025-01-01', '2025-01-02'), 'abc', '<a/>', 'int', 5, '10:00' FROM generate_series(1, 10);
INSERT INTO plans SELECT n, 'Plan ' || n, n FROM generate_series(1, 4) n;
INSERT INTO subscriptions SELECT n, 1 + n % 60, 1 + n % 4, (ARRAY['on', 'off'])[1 + n % 2] FROM generate_series(1, 100) n;
INSERT INTO addresses SELECT 1000 + n, 'Town' FROM generate_series(1, 50) n;
INSERT INTO couriers SELECT n, 'C' || n FROM generate_series(1, 5) n;
INSERT INTO deliveries SELECT n, 1001 + n % 50, 1001 + n % 50, 1 + n % 4, 100 + n, n, (ARRAY['open', 'done'])[1 + n % 2] FROM generate_series(1, 100) n;
INSERT INTO books SELECT '978-' || n, 'T' || n FROM generate_series(1, 50) n; INSERT INTO book_copies SELECT n, '978-' || (1 + n % 50), 'new' FROM generate_series(1, 100) n;
INSERT INTO categories SELECT n, NULLIF(n / 3, 0), 'Category ' || n FROM generate_series(1, 20) n;
INSERT INTO invoices SELECT (ARRAY['north', 'south'])[1 + n % 2], n, n, '2025-04-01', (ARRAY['due', 'paid'])[1 + n % 2] FROM generate_series(1, 60) n;
INSERT INTO invoice_payments SELECT n, (ARRAY['north', 'south'])[1 + n % 2], n, n, '2025-05-01' FROM generate_series(1, 40) n;
INSERT INTO unrelated_one SELECT n, n, n FROM generate_series(1, 40) n; INSERT INTO unrelated_two SELECT n, n, n FROM generate_series(1, 40) n;
INSERT INTO people SELECT n, 'p' || n || '@example.org', 'hunter' || n FROM generate_series(1, 20) n;
INSERT INTO wide (id) SELECT n FROM generate_series(1, 10) n;
REFRESH MATERIALIZED VIEW daily_orders;
ANALYZE;`;

interface Words {
  /** Puts a name in quotes. */
  quote(name: string): string;
  readonly json: string;
  readonly text: string;
  readonly kind: string;
}

/** The same ideas in SQL that SQLite, DuckDB and MariaDB share. */
function awkward({ quote, json, text, kind }: Words): string {
  const numbers = (count: number, row: (n: number) => readonly unknown[]) =>
    Array.from(
      { length: count },
      (_, index) =>
        `(${row(index + 1)
          .map((value) => (value === null ? 'NULL' : typeof value === 'string' ? `'${value}'` : String(value)))
          .join(', ')})`,
    ).join(', ');
  const day = (n: number) => new Date(Date.UTC(2024, 0, n)).toISOString().slice(0, 10);
  const wide = WIDE_COLUMNS.map((column) => column.replace('text', text));
  return `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name ${text} NOT NULL, status ${text});
CREATE TABLE customer_cards (id INTEGER PRIMARY KEY, customer_id INTEGER UNIQUE, FOREIGN KEY (customer_id) REFERENCES customers (id));
CREATE TABLE passports (id INTEGER PRIMARY KEY, customer_id INTEGER, FOREIGN KEY (customer_id) REFERENCES customers (id));
CREATE UNIQUE INDEX one_passport ON passports (customer_id);
CREATE TABLE ${quote('Orders')} (${quote('Id')} INTEGER PRIMARY KEY, ${quote('CustomerId')} INTEGER NOT NULL, ${quote('OrderedAt')} TIMESTAMP, status ${text}, ${quote('TotalAmount')} DECIMAL(10,2), FOREIGN KEY (${quote('CustomerId')}) REFERENCES customers (id));
CREATE TABLE order_lines (order_id INTEGER, line_no INTEGER, quantity INTEGER, unit_price DECIMAL(8,2), PRIMARY KEY (order_id, line_no), FOREIGN KEY (order_id) REFERENCES ${quote('Orders')} (${quote('Id')}));
CREATE TABLE line_notes (id INTEGER PRIMARY KEY, order_id INTEGER, line_no INTEGER, body ${text}, FOREIGN KEY (order_id, line_no) REFERENCES order_lines (order_id, line_no));
CREATE TABLE ${quote('select')} (${quote('from')} INTEGER PRIMARY KEY, ${quote('where')} ${text}, ${quote('order')} INTEGER, ${quote('group')} ${text});
CREATE TABLE ${quote('user')} (id INTEGER PRIMARY KEY, ${quote('table')} ${text}, ${quote('limit')} INTEGER, manager_id INTEGER, FOREIGN KEY (manager_id) REFERENCES ${quote('user')} (id));
CREATE TABLE ${quote('Straße mit Leerzeichen')} (${quote('Größe in m²')} INTEGER PRIMARY KEY, ${quote('semi;colon')} INTEGER, ${quote('ünïcödé 名前')} ${text});
CREATE TABLE odd_types (id INTEGER PRIMARY KEY, kind ${kind}, paid BOOLEAN, on_day DATE, doc ${json});
CREATE TABLE plans (id INTEGER PRIMARY KEY, name ${text});
CREATE TABLE addresses (id INTEGER PRIMARY KEY, town ${text});
CREATE TABLE deliveries (id INTEGER PRIMARY KEY, billing_address_id INTEGER, ${quote('shippingAddressId')} INTEGER, id_plan INTEGER, courier_id INTEGER, status ${text});
CREATE TABLE couriers (id INTEGER PRIMARY KEY, name ${text});
CREATE TABLE books (isbn ${text} PRIMARY KEY, title ${text});
CREATE TABLE book_copies (id INTEGER PRIMARY KEY, isbn ${text}, state ${text});
CREATE TABLE unrelated_one (id INTEGER PRIMARY KEY, external_id INTEGER, batch INTEGER);
CREATE TABLE unrelated_two (id INTEGER PRIMARY KEY, external_id INTEGER, batch INTEGER);
CREATE TABLE keyless (id INTEGER, amount DECIMAL(8,2));
CREATE TABLE empty_events (id INTEGER PRIMARY KEY, happened_at TIMESTAMP);
CREATE TABLE wide (id INTEGER PRIMARY KEY, ${wide.join(', ')});
CREATE TABLE visits (id INTEGER PRIMARY KEY, on_day DATE, seen_at TIMESTAMP);
CREATE VIEW big_orders AS SELECT ${quote('Id')} AS order_id, ${quote('TotalAmount')} AS amount FROM ${quote('Orders')};
INSERT INTO customers VALUES ${numbers(60, (n) => [n, `Name ${n}`, n % 2 ? 'active' : 'gone'])};
INSERT INTO customer_cards VALUES ${numbers(20, (n) => [n, n])};
INSERT INTO passports VALUES ${numbers(20, (n) => [n, n])};
INSERT INTO ${quote('Orders')} VALUES ${numbers(200, (n) => [n, 1 + (n % 60), '2025-01-01 10:00:00', n % 2 ? 'open' : 'sent', n])};
INSERT INTO order_lines VALUES ${numbers(300, (n) => [1 + Math.floor(n / 3), n % 3, n % 7, 2.5])};
INSERT INTO line_notes VALUES ${numbers(40, (n) => [n, 1 + Math.floor(n / 3), n % 3, 'x'])};
INSERT INTO ${quote('select')} VALUES ${numbers(20, (n) => [n, 'x', n, n % 2 ? 'a' : 'b'])};
INSERT INTO ${quote('user')} VALUES (1, 't', 1, NULL);
INSERT INTO ${quote('user')} VALUES ${numbers(9, (n) => [1 + n, 't', n, 1])};
INSERT INTO odd_types VALUES ${numbers(10, (n) => [n, 'print', n % 2, '2025-01-01', '{"a": 1}']).replaceAll(/, ([01]), '2025/g, (_, bit) => `, ${bit === '1'}, '2025`)};
INSERT INTO plans VALUES ${numbers(4, (n) => [n, `Plan ${n}`])};
INSERT INTO addresses VALUES ${numbers(50, (n) => [1000 + n, 'Town'])};
INSERT INTO couriers VALUES ${numbers(5, (n) => [n, `C${n}`])};
INSERT INTO deliveries VALUES ${numbers(100, (n) => [n, 1001 + (n % 50), 1001 + (n % 50), 1 + (n % 4), 100 + n, n % 2 ? 'open' : 'done'])};
INSERT INTO books VALUES ${numbers(50, (n) => [`978-${n}`, `T${n}`])};
INSERT INTO book_copies VALUES ${numbers(100, (n) => [n, `978-${1 + (n % 50)}`, 'new'])};
INSERT INTO unrelated_one VALUES ${numbers(40, (n) => [n, n, n])};
INSERT INTO unrelated_two VALUES ${numbers(40, (n) => [n, n, n])};
INSERT INTO keyless VALUES ${numbers(20, (n) => [n, n])};
INSERT INTO wide (id) VALUES ${numbers(10, (n) => [n])};
INSERT INTO visits VALUES ${numbers(1_200, (n) => [n, day(n), `${day(n)} 09:30:00`])};`;
}

const double = (name: string) => `"${name}"`;

export const AWKWARD = {
  sqlite: awkward({ quote: double, json: 'JSON', text: 'TEXT', kind: 'TEXT' }),
  duckdb: awkward({ quote: double, json: 'JSON', text: 'VARCHAR', kind: `ENUM ('print', 'date', 'int')` }),
  mysql: awkward({
    quote: (name) => `\`${name}\``,
    json: 'JSON',
    text: 'VARCHAR(60)',
    kind: `ENUM('print', 'date', 'int')`,
  }),
};
