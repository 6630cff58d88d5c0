/** A hospital with data made from a seed: related tables with dates of their own, missing values, columns named alike. */
import Database from 'better-sqlite3';

const SCHEMA = `
  CREATE TABLE wards (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE doctors (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, specialty TEXT, hired_on DATE);
  CREATE TABLE patients (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, city TEXT, registered_on DATE);
  CREATE TABLE admissions (id INTEGER PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patients (id),
    doctor_id INTEGER REFERENCES doctors (id), ward_id INTEGER NOT NULL REFERENCES wards (id),
    admitted_at TIMESTAMP NOT NULL, discharged_at TIMESTAMP);
  CREATE TABLE lab_results (id INTEGER PRIMARY KEY, admission_id INTEGER NOT NULL REFERENCES admissions (id),
    test_name TEXT NOT NULL, value REAL, taken_at TIMESTAMP NOT NULL);
  CREATE TABLE invoices (id INTEGER PRIMARY KEY, admission_id INTEGER NOT NULL REFERENCES admissions (id),
    issued_on DATE NOT NULL, total REAL NOT NULL);
  CREATE TABLE prescriptions (id INTEGER PRIMARY KEY, admission_id INTEGER NOT NULL REFERENCES admissions (id),
    drug TEXT NOT NULL, qty INTEGER NOT NULL);
  CREATE TABLE supplies (id INTEGER PRIMARY KEY, ward_id INTEGER NOT NULL REFERENCES wards (id), item TEXT NOT NULL,
    qty INTEGER NOT NULL);
  CREATE TABLE meals (id INTEGER PRIMARY KEY, ward_id INTEGER NOT NULL REFERENCES wards (id), dish TEXT NOT NULL,
    qty INTEGER NOT NULL);`;

export function hospitalDatabase(path = ':memory:'): Database.Database {
  let state = 53;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const dayAt = (start: string, days: number): string =>
    new Date(Date.parse(start) + Math.floor(days) * 86_400_000).toISOString().slice(0, 10);
  const database = new Database(path);
  database.exec(SCHEMA);
  const insert = (table: string, row: readonly (string | number | null)[]): void => {
    database.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row);
  };
  ['Cardiology', 'Surgery', 'Maternity'].forEach((name, i) => {
    insert('wards', [i + 1, name]);
  });
  ['Ada Kern', 'Ben Lutz', 'Cleo Marx', 'Dan Nagel', 'Eva Ott'].forEach((name, i) => {
    insert('doctors', [i + 1, name, pick(['heart', 'bones', 'skin']), dayAt('2015-01-01', next() * 2500)]);
  });
  for (let i = 1; i <= 40; i++) {
    const city = next() < 0.4 ? null : pick(['Berlin', 'Bonn', 'Kiel']);
    insert('patients', [i, `Patient ${i}`, city, dayAt('2023-01-01', next() * 900)]);
  }
  for (let i = 1; i <= 120; i++) {
    const admitted = dayAt('2024-02-01', next() * 500);
    const discharged = next() < 0.2 ? null : dayAt(admitted, integer(20, 60));
    insert('admissions', [
      i,
      integer(1, 40),
      next() < 0.4 ? null : integer(1, 5),
      integer(1, 3),
      `${admitted} 08:00:00`,
      discharged && `${discharged} 12:00:00`,
    ]);
    // Billed and analysed long after: no date of these may stand for that of the admission.
    insert('invoices', [i, i, dayAt(admitted, integer(400, 430)), integer(10_000, 90_000) / 100]);
    for (let k = 0; k < 2; k++)
      insert('lab_results', [
        i * 2 + k,
        i,
        pick(['glucose', 'iron']),
        integer(1, 90),
        `${dayAt(admitted, 800 + k)} 09:00:00`,
      ]);
    insert('prescriptions', [i, i, pick(['aspirin', 'insulin']), integer(1, 9)]);
  }
  for (let i = 1; i <= 12; i++) {
    insert('supplies', [i, integer(1, 3), pick(['gauze', 'gloves']), integer(10, 90)]);
    insert('meals', [i, integer(1, 3), pick(['soup', 'pasta']), integer(100, 900)]);
  }
  return database;
}
