/** A public library in 15 tables, as SQL that SQLite, PostgreSQL and MySQL understand. The same text each time. */
const TABLES = `
CREATE TABLE branches (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, city VARCHAR(40), opened_on DATE);
CREATE TABLE genres (id INTEGER PRIMARY KEY, name VARCHAR(40));
CREATE TABLE publishers (id INTEGER PRIMARY KEY, name VARCHAR(40), country VARCHAR(40));
CREATE TABLE authors (id INTEGER PRIMARY KEY, name VARCHAR(40), country VARCHAR(40));
CREATE TABLE members (id INTEGER PRIMARY KEY, first_name VARCHAR(40), email VARCHAR(40), password_hash VARCHAR(40), joined_on DATE, status VARCHAR(20), branch_id INTEGER, FOREIGN KEY (branch_id) REFERENCES branches (id));
CREATE TABLE books (id INTEGER PRIMARY KEY, title VARCHAR(40), published_year INTEGER, price NUMERIC(8,2), genre_id INTEGER, publisher_id INTEGER, language VARCHAR(5), FOREIGN KEY (genre_id) REFERENCES genres (id), FOREIGN KEY (publisher_id) REFERENCES publishers (id));
CREATE TABLE book_authors (book_id INTEGER, author_id INTEGER, PRIMARY KEY (book_id, author_id), FOREIGN KEY (book_id) REFERENCES books (id), FOREIGN KEY (author_id) REFERENCES authors (id));
CREATE TABLE copies (id INTEGER PRIMARY KEY, book_id INTEGER, branch_id INTEGER, state VARCHAR(20), FOREIGN KEY (book_id) REFERENCES books (id), FOREIGN KEY (branch_id) REFERENCES branches (id));
CREATE TABLE loans (id INTEGER PRIMARY KEY, copy_id INTEGER, member_id INTEGER, loaned_at TIMESTAMP, due_on DATE, FOREIGN KEY (copy_id) REFERENCES copies (id), FOREIGN KEY (member_id) REFERENCES members (id));
CREATE TABLE fines (id INTEGER PRIMARY KEY, loan_id INTEGER, amount NUMERIC(8,2), reason VARCHAR(20), paid BOOLEAN, FOREIGN KEY (loan_id) REFERENCES loans (id));
CREATE TABLE reservations (id INTEGER PRIMARY KEY, book_id INTEGER, member_id INTEGER, status VARCHAR(20), FOREIGN KEY (book_id) REFERENCES books (id), FOREIGN KEY (member_id) REFERENCES members (id));
CREATE TABLE reviews (id INTEGER PRIMARY KEY, book_id INTEGER, member_id INTEGER, rating INTEGER, FOREIGN KEY (book_id) REFERENCES books (id), FOREIGN KEY (member_id) REFERENCES members (id));
CREATE TABLE employees (id INTEGER PRIMARY KEY, name VARCHAR(40), branch_id INTEGER, manager_id INTEGER, salary NUMERIC(9,2), FOREIGN KEY (branch_id) REFERENCES branches (id), FOREIGN KEY (manager_id) REFERENCES employees (id));
CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name VARCHAR(40));
CREATE TABLE purchases (id INTEGER PRIMARY KEY, supplier_id INTEGER, branch_id INTEGER, total NUMERIC(9,2));`;

/** A number from 0 to `below` that depends on `seed` alone. */
const pick = (seed: number, below: number) => ((seed * 2_654_435_761) >>> 8) % below;
const one = <T>(seed: number, list: readonly T[]): T => list[pick(seed, list.length)] as T;
const day = (seed: number) =>
  `${2023 + pick(seed, 3)}-${String(1 + pick(seed * 7, 12)).padStart(2, '0')}-${String(1 + pick(seed * 13, 28)).padStart(2, '0')}`;

const ROWS: Readonly<Record<string, readonly [number, (id: number) => readonly unknown[]]>> = {
  branches: [
    4,
    (i) => [i, ['Central', 'North', 'Harbour', 'Hill'][i - 1], ['Bremen', 'Bremen', 'Kiel', 'Ulm'][i - 1], day(i)],
  ],
  genres: [5, (i) => [i, ['Crime', 'Poetry', 'History', 'Travel', 'Science'][i - 1]]],
  publishers: [6, (i) => [i, `Publisher ${i}`, one(i, ['Germany', 'France'])]],
  authors: [40, (i) => [i, `Author ${i}`, one(i * 3, ['Germany', 'France', 'Spain'])]],
  members: [
    120,
    (i) => [
      i,
      `First${i}`,
      `m${i}@example.org`,
      `h${i}`,
      day(i),
      one(i * 5, ['active', 'active', 'blocked']),
      1 + pick(i, 4),
    ],
  ],
  books: [
    90,
    (i) => [
      i,
      `Book ${i}`,
      1980 + pick(i, 40),
      5 + pick(i, 4000) / 100,
      1 + pick(i * 3, 5),
      1 + pick(i, 6),
      one(i * 11, ['de', 'en', 'fr']),
    ],
  ],
  book_authors: [90, (i) => [i, 1 + pick(i, 40)]],
  copies: [200, (i) => [i, 1 + pick(i, 90), 1 + pick(i * 3, 4), one(i, ['new', 'used', 'worn'])]],
  loans: [1_300, (i) => [i, 1 + pick(i, 200), 1 + pick(i * 3, 120), `${day(i)} 10:00:00`, day(i * 5)]],
  fines: [
    80,
    (i) => [i, 1 + pick(i, 1_300), 1 + pick(i, 900) / 100, one(i * 3, ['late', 'damaged', 'lost']), pick(i, 2) === 1],
  ],
  reservations: [70, (i) => [i, 1 + pick(i, 90), 1 + pick(i, 120), one(i, ['waiting', 'done'])]],
  reviews: [60, (i) => [i, 1 + pick(i, 90), 1 + pick(i, 120), 1 + pick(i * 3, 5)]],
  employees: [12, (i) => [i, `Employee ${i}`, 1 + pick(i, 4), i === 1 ? null : 1, 30_000 + pick(i, 30_000)]],
  suppliers: [4, (i) => [i, `Supplier ${i}`]],
  purchases: [50, (i) => [i, 1 + pick(i, 4), 1 + pick(i * 3, 4), pick(i, 90_000) / 100]],
};

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));

/** Statements, one a line. */
export const LIBRARY: readonly string[] = [
  ...TABLES.trim().split('\n'),
  ...Object.entries(ROWS).map(([table, [count, row]]) => {
    const rows = Array.from(
      { length: count },
      (_, index) =>
        `(${row(index + 1)
          .map(literal)
          .join(', ')})`,
    );
    return `INSERT INTO ${table} VALUES ${rows.join(', ')};`;
  }),
];

/** Questions as the offline reader is asked them, with the statement whose numbers are right. */
export const QUESTIONS: readonly { readonly question: string; readonly sql: string }[] = [
  { question: 'How many loans are there?', sql: 'SELECT count(*) FROM loans' },
  { question: 'How many blocked members are there?', sql: "SELECT count(*) FROM members WHERE status = 'blocked'" },
  { question: 'Number of books by genre', sql: 'SELECT count(*) FROM books GROUP BY genre_id' },
  { question: 'What is the total fine amount by reason?', sql: 'SELECT sum(amount) FROM fines GROUP BY reason' },
  {
    question: 'How many loans were there in 2024?',
    sql: "SELECT count(*) FROM loans WHERE loaned_at >= '2024-01-01' AND loaned_at < '2025-01-01'",
  },
  {
    question: 'Average rating by language of the book',
    sql: 'SELECT avg(rating) FROM reviews JOIN books ON books.id = book_id GROUP BY language',
  },
  {
    question: 'Number of loans by member status',
    sql: 'SELECT count(*) FROM loans JOIN members ON members.id = member_id GROUP BY status',
  },
  { question: 'Purchase total by branch', sql: 'SELECT sum(total) FROM purchases GROUP BY branch_id' },
  { question: 'Average salary', sql: 'SELECT avg(salary) FROM employees' },
];
