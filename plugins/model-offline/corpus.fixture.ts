/** The layers that the reader is tried on, with data made from a seed. */
import Database from 'better-sqlite3';

type Cell = string | number | null;

/** Deterministic numbers in [0, 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function table(database: Database.Database, name: string, columns: string, rows: readonly (readonly Cell[])[]): void {
  database.exec(`CREATE TABLE ${name} (${columns})`);
  const insert = database.prepare(
    `INSERT INTO ${name} VALUES (${columns
      .split(',')
      .map(() => '?')
      .join(', ')})`,
  );
  for (const row of rows) insert.run(...row);
}

const dateAt = (start: string, days: number): string =>
  new Date(Date.parse(start) + Math.floor(days) * 86_400_000).toISOString().slice(0, 10);
const timeAt = (start: string, days: number): string =>
  new Date(Date.parse(start) + Math.floor(days * 86_400) * 1000).toISOString().slice(0, 19).replace('T', ' ');

export function clinicDatabase(): Database.Database {
  const next = random(7);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  const database = new Database(':memory:');
  table(database, 'departments', 'department_id INTEGER, name TEXT, floor INTEGER', [
    [1, 'North Wing', 1],
    [2, 'South Wing', 2],
  ]);
  table(
    database,
    'doctors',
    'doctor_id INTEGER, name TEXT, specialty TEXT, hired_on TEXT, department_id INTEGER',
    Array.from({ length: 6 }, (_, i) => [
      i + 1,
      `Dr. ${['Adler', 'Brandt', 'Cruz', 'Diaz', 'Engel', 'Fuchs'][i]}`,
      pick(['Cardiology', 'Dermatology', 'Pediatrics']),
      dateAt('2018-01-01', next() * 2500),
      1 + (i % 2),
    ]),
  );
  table(
    database,
    'patients',
    'patient_id INTEGER, full_name TEXT, birth_date TEXT, gender TEXT, city TEXT, insurance TEXT, registered_at TEXT, is_active INTEGER, email TEXT',
    Array.from({ length: 60 }, (_, i) => [
      i + 1,
      `Patient ${i + 1}`,
      dateAt('1940-01-01', next() * 25_000),
      pick(['female', 'male', 'diverse']),
      pick(['Leipzig', 'Dresden', 'Halle']),
      pick(['public', 'public', 'private', 'none']),
      timeAt('2023-01-01', next() * 1050),
      next() < 0.8 ? 1 : 0,
      next() < 0.2 ? null : `p${i + 1}@example.org`,
    ]),
  );
  table(
    database,
    'visits',
    'visit_id INTEGER, patient_id INTEGER, doctor_id INTEGER, visit_date TEXT, booked_at TEXT, status TEXT, duration_minutes INTEGER, fee REAL, is_first_visit INTEGER, rating INTEGER',
    Array.from({ length: 400 }, (_, i) => {
      const at = next() * 700;
      return [
        i + 1,
        1 + Math.floor(next() * next() * 55),
        1 + Math.floor(next() * 6),
        dateAt('2024-01-01', at + 5),
        timeAt('2024-01-01', at),
        pick(['completed', 'completed', 'completed', 'no_show', 'cancelled', 'scheduled']),
        10 + Math.floor(next() * 60),
        Math.round(next() * 20_000) / 100,
        next() < 0.3 ? 1 : 0,
        next() < 0.4 ? null : 1 + Math.floor(next() * 5),
      ];
    }),
  );
  return database;
}

export function saasDatabase(): Database.Database {
  const next = random(11);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  const database = new Database(':memory:');
  table(
    database,
    'crm_accounts',
    'id TEXT, company_name TEXT, industry TEXT, country_code TEXT, employee_count INTEGER, created_at TEXT, churned_at TEXT, owner TEXT',
    Array.from({ length: 50 }, (_, i) => [
      `acc-${i + 1}`,
      `Company ${i + 1}`,
      pick(['Finance', 'Retail', 'Health Care', 'Education']),
      pick(['US', 'DE', 'IN', 'NO']),
      Math.floor(next() * 1500),
      timeAt('2023-06-01', next() * 900),
      next() < 0.3 ? timeAt('2024-06-01', next() * 540) : null,
      pick(['Maya Lin', 'Tom Berg']),
    ]),
  );
  table(
    database,
    'subscriptions',
    'id INTEGER, account_id TEXT, plan TEXT, status TEXT, started_at TEXT, canceled_at TEXT, mrr REAL, seats INTEGER, auto_renew INTEGER',
    Array.from({ length: 120 }, (_, i) => {
      const status = pick(['active', 'active', 'trialing', 'canceled', 'past_due']);
      return [
        i + 1,
        `acc-${1 + Math.floor(next() * 45)}`,
        pick(['free', 'starter', 'pro', 'enterprise']),
        status,
        dateAt('2024-01-01', next() * 700),
        status === 'canceled' ? dateAt('2025-01-01', next() * 360) : null,
        Math.round(next() * 90_000) / 100,
        1 + Math.floor(next() * 40),
        next() < 0.6 ? 1 : 0,
      ];
    }),
  );
  table(
    database,
    'support_tickets',
    'ticket_no INTEGER, account_id TEXT, priority TEXT, state TEXT, channel TEXT, opened_at TEXT, closed_at TEXT, first_response_hours REAL, satisfaction INTEGER',
    Array.from({ length: 300 }, (_, i) => {
      const opened = next() * 700;
      const state = pick(['open', 'pending', 'solved', 'solved']);
      return [
        1000 + i,
        `acc-${1 + Math.floor(next() * 48)}`,
        pick(['low', 'medium', 'high', 'urgent']),
        state,
        pick(['email', 'chat', 'phone']),
        timeAt('2024-01-01', opened),
        state === 'solved' ? timeAt('2024-01-01', opened + next() * 20) : null,
        Math.round(next() * 480) / 10,
        next() < 0.5 ? null : 1 + Math.floor(next() * 5),
      ];
    }),
  );
  return database;
}
