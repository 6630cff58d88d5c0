/** A lending library with data made from a seed: a layer nobody had in mind when the reader was written. */
import Database from 'better-sqlite3';

const day = (start: string, days: number): string =>
  new Date(Date.parse(start) + Math.floor(days) * 86_400_000).toISOString().slice(0, 10);

export function lendingDatabase(): Database.Database {
  let state = 37;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const money = (from: number, to: number): number => Math.round((from + next() * (to - from)) * 100) / 100;
  const database = new Database(':memory:');
  database.exec(`
    CREATE TABLE branches (id INTEGER PRIMARY KEY, branch_name TEXT, city TEXT, opened DATE);
    CREATE TABLE members (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT, joined_on DATE, plan TEXT,
      birth_year INTEGER, is_active BOOLEAN, home_branch_id INTEGER);
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author TEXT, genre TEXT, published_year INTEGER,
      pages INTEGER, price REAL, language TEXT);
    CREATE TABLE loans (id INTEGER PRIMARY KEY, book_id INTEGER, member_id INTEGER, branch_id INTEGER, loaned_on DATE,
      due_on DATE, returned_on DATE, renewals INTEGER);
    CREATE TABLE fines (id INTEGER PRIMARY KEY, loan_id INTEGER, amount REAL, paid BOOLEAN, issued_at TIMESTAMP);
    INSERT INTO branches VALUES (1, 'Central', 'Graz', '1998-05-01'), (2, 'Eastside', 'Graz', '2006-09-10'),
      (3, 'Harbor', 'Linz', '2012-02-20'), (4, 'Parkview', 'Salzburg', '2020-10-01');
  `);
  const insert = (table: string, row: readonly (string | number | null)[]): void => {
    database.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row);
  };
  const first = ['Anna', 'Bruno', 'Celia', 'David', 'Edda', 'Franz', 'Greta'];
  const last = ['Auer', 'Berger', 'Czerny', 'Dorn', 'Egger', 'Fuchs', 'Gruber', 'Huber', 'Illek', 'Jung', 'Koller'];
  for (let i = 1; i <= 70; i++) {
    const email = next() < 0.15 ? null : `m${i}@post.at`;
    const plan = pick(['basic', 'basic', 'premium', 'student']);
    const joined = day('2022-01-01', next() * 1780);
    insert('members', [
      i,
      first[i % 7]!,
      last[i % 11]!,
      email,
      joined,
      plan,
      integer(1940, 2012),
      next() < 0.8 ? 1 : 0,
      integer(1, 4),
    ]);
  }
  const authors = ['Ursula Stern', 'Paul Weiss', 'Marta Klein', 'Tom Reiter', 'Nora Blau', 'Otto Lang'];
  const nouns = ['River', 'Garden', 'Letter', 'Tower', 'Island', 'Mirror'];
  ['Silent', 'Red', 'Last', 'Hidden', 'Broken', 'Golden'].forEach((adjective, i) => {
    nouns.forEach((noun, k) => {
      const genre = pick(['fiction', 'fiction', 'history', 'science', 'children', 'poetry']);
      const language = pick(['German', 'German', 'English', 'French']);
      insert('books', [
        i * 6 + k + 1,
        `The ${adjective} ${noun}`,
        pick(authors),
        genre,
        integer(1950, 2026),
        integer(60, 900),
        money(6, 48),
        language,
      ]);
    });
  });
  for (let i = 1; i <= 500; i++) {
    const loaned = day('2024-01-01', next() * 1050);
    const length = integer(2, 45);
    const returned = next() < 0.1 ? null : day(loaned, length);
    insert('loans', [
      i,
      integer(1, 34),
      integer(1, 62),
      integer(1, 4),
      loaned,
      day(loaned, 28),
      returned,
      pick([0, 0, 0, 1, 2]),
    ]);
    if (returned !== null && length > 28)
      insert('fines', [i, i, money(0.5, 22), next() < 0.7 ? 1 : 0, `${returned} 10:00:00`]);
  }
  return database;
}
