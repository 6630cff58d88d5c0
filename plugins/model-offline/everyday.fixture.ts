/** A fleet and a cinema with data made from a seed. */
import Database from 'better-sqlite3';

type Value = string | number;
type Tables = Readonly<Record<string, readonly [rows: number, row: (id: number, random: Random) => readonly Value[]]>>;
type Random = ReturnType<typeof randomOf>;

function randomOf(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return {
    integer: (from: number, to: number): number => from + Math.floor(next() * (to - from + 1)),
    money: (from: number, to: number): number => Math.round((from + next() * (to - from)) * 100) / 100,
    one: (texts: string): string => texts.split(' ')[Math.floor(next() * texts.split(' ').length)]!,
    flag: (share: number): number => (next() < share ? 1 : 0),
    day: (start: string, days: number): string =>
      new Date(Date.parse(start) + Math.floor(next() * days) * 86_400_000).toISOString().slice(0, 10),
  };
}

function databaseOf(tables: Tables): Database.Database {
  const database = new Database(':memory:');
  const random = randomOf(5);
  for (const [named, [count, row]] of Object.entries(tables)) {
    database.exec(`CREATE TABLE ${named}`);
    const table = named.slice(0, named.indexOf(' '));
    for (let id = 1; id <= count; id++) {
      const values = row(id, random);
      database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
    }
  }
  return database;
}

const MECHANICS = ['Ida Brandt', 'Jon Vik', 'Mia Sol', 'Per Dal', 'Eva Lie', 'Ola Moe', 'Kai Ruud', 'Tor Bakke'];

export const fleetDatabase = (): Database.Database =>
  databaseOf({
    'depots (id, name, region)': [
      3,
      (id) => [id, ['North Yard', 'Harbour Yard', 'South Yard'][id - 1]!, ['North', 'Coast', 'South'][id - 1]!],
    ],
    'vehicles (id, plate, make, payload_kg, purchased_on, purchase_price, depot_id, is_electric)': [
      40,
      (id, { one, integer, day, money, flag }) => [
        ...[id, `AB-${100 + id}`, one('Volvo Scania MAN Iveco'), integer(800, 24_000), day('2015-01-01', 3800)],
        ...[money(20_000, 180_000), integer(1, 3), flag(0.3)],
      ],
    ],
    'mechanics (id, name, grade, hired_on)': [
      8,
      (id, { one, day }) => [id, MECHANICS[id - 1]!, one('junior senior master'), day('2010-01-01', 5000)],
    ],
    'repairs (id, vehicle_id, mechanic_id, started_on, kind, outcome, cost, labour, under_warranty)': [
      500,
      (id, { one, integer, day, money, flag }) => [
        ...[id, integer(1, 38), integer(1, 8), day('2024-01-01', 710), one('brakes engine tyres bodywork')],
        ...[one('fixed fixed failed postponed'), money(40, 4000), money(0.5, 20), flag(0.2)],
      ],
    ],
  });

export const cinemaDatabase = (): Database.Database =>
  databaseOf({
    'cinemas (cinema_id, name, city, seats, opened_on)': [
      4,
      (id, { day }) => [
        ...[id, ['Astor', 'Rex', 'Lumen', 'Palace'][id - 1]!, ['Basel', 'Bern'][(id - 1) % 2]!],
        ...[[220, 340, 120, 480][id - 1]!, day('1960-01-01', 18_000)],
      ],
    ],
    'films (film_id, title, genre, runtime, released_on)': [
      20,
      (id, { one, integer, day }) => [
        ...[id, `Film ${id}`, one('drama comedy horror documentary'), integer(70, 180), day('2022-01-01', 1300)],
      ],
    ],
    'tickets (ticket_id, film_id, cinema_id, sold_at, price, fee, channel, status)': [
      900,
      (id, { one, integer, day, money }) => [
        ...[id, integer(1, 20), integer(1, 4), `${day('2024-01-01', 710)} 19:30:00`, money(6, 24), money(0, 2)],
        ...[one('web web app desk'), one('valid used used refunded')],
      ],
    ],
  });
