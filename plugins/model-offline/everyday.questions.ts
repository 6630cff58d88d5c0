/** Questions of business people about a fleet and a cinema, and the rows that answer them; `null`: asking back is right. */
type Questions = readonly (readonly [question: string, sql: string | null])[];

export const FLEET: Questions = [
  [
    'repair cost by mechanic',
    'SELECT m.name, SUM(cost) FROM repairs r JOIN mechanics m ON m.id=mechanic_id GROUP BY m.id',
  ],
  [
    'top 3 mechanics by repair cost',
    'SELECT m.name, SUM(cost) s FROM repairs r JOIN mechanics m ON m.id=mechanic_id GROUP BY m.id ORDER BY s DESC LIMIT 3',
  ],
  [
    'repair costs by make this year',
    "SELECT make, SUM(cost) FROM repairs r JOIN vehicles v ON v.id=vehicle_id WHERE started_on LIKE '2025%' GROUP BY 1",
  ],
  ['what did repairs cost in 2025?', "SELECT SUM(cost) FROM repairs WHERE started_on LIKE '2025%'"],
  ['how much did we spend on brakes?', "SELECT SUM(cost) FROM repairs WHERE kind='brakes'"],
  ['total repair cost in 2024', "SELECT SUM(cost) FROM repairs WHERE started_on LIKE '2024%'"],
  ['most expensive repair', 'SELECT id, cost FROM repairs ORDER BY cost DESC LIMIT 1'],
  [
    'the 5 most expensive repairs in 2025',
    "SELECT id, cost FROM repairs WHERE started_on LIKE '2025%' ORDER BY cost DESC LIMIT 5",
  ],
  ['cheapest vehicle', 'SELECT plate, purchase_price FROM vehicles ORDER BY purchase_price LIMIT 1'],
  ['oldest vehicle', 'SELECT plate FROM vehicles ORDER BY purchased_on LIMIT 1'],
  ['newest truck', 'SELECT plate FROM vehicles ORDER BY purchased_on DESC LIMIT 1'],
  ['which vehicle is the oldest?', 'SELECT plate FROM vehicles ORDER BY purchased_on LIMIT 1'],
  ['largest vehicle', null],
  ['share of failed repairs', "SELECT 100.0*AVG(outcome='failed') FROM repairs"],
  ['what percentage of repairs failed?', "SELECT 100.0*AVG(outcome='failed') FROM repairs"],
  [
    'share of postponed repairs by mechanic',
    "SELECT m.name, 100.0*AVG(outcome='postponed') FROM repairs r JOIN mechanics m ON m.id=mechanic_id GROUP BY m.id",
  ],
  ['what share of vehicles is electric?', 'SELECT 100.0*AVG(is_electric) FROM vehicles'],
  [
    'percentage of repairs under warranty in 2025',
    "SELECT 100.0*AVG(under_warranty) FROM repairs WHERE started_on LIKE '2025%'",
  ],
  ['repairs of more than 3000 euros', 'SELECT id FROM repairs WHERE cost>3000'],
  [
    'how many repairs over 2000 euro were there in 2025?',
    "SELECT COUNT(*) FROM repairs WHERE cost>2000 AND started_on LIKE '2025%'",
  ],
  ['vehicles with a payload over 10000 kg', 'SELECT plate FROM vehicles WHERE payload_kg>10000'],
  ['average payload of vehicles by make', 'SELECT make, AVG(payload_kg) FROM vehicles GROUP BY 1'],
  ['average payload by make', 'SELECT make, AVG(payload_kg) FROM vehicles GROUP BY 1'],
  ['average working hours by kind', 'SELECT kind, AVG(labour) FROM repairs GROUP BY 1'],
  [
    'total working hours per mechanic in 2025',
    "SELECT m.name, SUM(labour) FROM repairs r JOIN mechanics m ON m.id=mechanic_id WHERE started_on LIKE '2025%' GROUP BY m.id",
  ],
  [
    'average repair cost per depot',
    'SELECT d.name, AVG(cost) FROM repairs r JOIN vehicles v ON v.id=vehicle_id JOIN depots d ON d.id=depot_id GROUP BY d.id',
  ],
  [
    'repairs per month in 2025',
    "SELECT strftime('%Y-%m',started_on), COUNT(*) FROM repairs WHERE started_on LIKE '2025%' GROUP BY 1",
  ],
  [
    'which depot has the highest repair costs?',
    'SELECT d.name, SUM(cost) s FROM repairs r JOIN vehicles v ON v.id=vehicle_id JOIN depots d ON d.id=depot_id GROUP BY d.id ORDER BY s DESC LIMIT 1',
  ],
  ['which vehicles had no repairs?', 'SELECT plate FROM vehicles WHERE id NOT IN (SELECT vehicle_id FROM repairs)'],
  [
    'how many electric trucks do we have at Harbour Yard?',
    "SELECT COUNT(*) FROM vehicles v JOIN depots d ON d.id=depot_id WHERE is_electric=1 AND d.name='Harbour Yard'",
  ],
  [
    'repair cost in 2025 >> and by depot',
    "SELECT d.name, SUM(cost) FROM repairs r JOIN vehicles v ON v.id=vehicle_id JOIN depots d ON d.id=depot_id WHERE started_on LIKE '2025%' GROUP BY d.id",
  ],
  [
    'repair cost by depot in 2024 >> the same for 2025',
    "SELECT d.name, SUM(cost) FROM repairs r JOIN vehicles v ON v.id=vehicle_id JOIN depots d ON d.id=depot_id WHERE started_on LIKE '2025%' GROUP BY d.id",
  ],
  ['how many repairs in 2024 >> and in 2025?', "SELECT COUNT(*) FROM repairs WHERE started_on LIKE '2025%'"],
  [
    'number of repairs by make in 2025 >> I meant the cost',
    "SELECT make, SUM(cost) FROM repairs r JOIN vehicles v ON v.id=vehicle_id WHERE started_on LIKE '2025%' GROUP BY 1",
  ],
  [
    'repair cost by make >> as average cost',
    'SELECT make, AVG(cost) FROM repairs r JOIN vehicles v ON v.id=vehicle_id GROUP BY 1',
  ],
  [
    'repair cost by mechanic in 2025 >> top 2',
    "SELECT m.name, SUM(cost) s FROM repairs r JOIN mechanics m ON m.id=mechanic_id WHERE started_on LIKE '2025%' GROUP BY m.id ORDER BY s DESC LIMIT 2",
  ],
  [
    'repairs by kind >> only failed ones >> and in 2025?',
    "SELECT kind, COUNT(*) FROM repairs WHERE outcome='failed' AND started_on LIKE '2025%' GROUP BY 1",
  ],
  [
    'cost by kind >> for electric vehicles only',
    'SELECT kind, SUM(cost) FROM repairs r JOIN vehicles v ON v.id=vehicle_id WHERE is_electric=1 GROUP BY 1',
  ],
  [
    'repairs by make >> by depot instead',
    'SELECT d.name, COUNT(*) FROM repairs r JOIN vehicles v ON v.id=vehicle_id JOIN depots d ON d.id=depot_id GROUP BY d.id',
  ],
];

export const CINEMA: Questions = [
  [
    'revenue by theatre',
    'SELECT c.name, SUM(price) FROM tickets t JOIN cinemas c USING(cinema_id) GROUP BY c.cinema_id',
  ],
  [
    'ticket revenue by film',
    'SELECT f.title, SUM(price) FROM tickets t JOIN films f USING(film_id) GROUP BY f.film_id',
  ],
  [
    'ticket sales by genre in 2025',
    "SELECT genre, SUM(price) FROM tickets t JOIN films f USING(film_id) WHERE sold_at LIKE '2025%' GROUP BY 1",
  ],
  [
    'top 5 films by ticket revenue',
    'SELECT f.title, SUM(price) s FROM tickets t JOIN films f USING(film_id) GROUP BY f.film_id ORDER BY s DESC LIMIT 5',
  ],
  [
    'top 2 movies by number of tickets',
    'SELECT f.title, COUNT(*) s FROM tickets t JOIN films f USING(film_id) GROUP BY f.film_id ORDER BY s DESC LIMIT 2',
  ],
  ['cheapest ticket', 'SELECT ticket_id, price FROM tickets ORDER BY price LIMIT 1'],
  [
    'most expensive ticket sold on the web',
    "SELECT ticket_id, price FROM tickets WHERE channel='web' ORDER BY price DESC LIMIT 1",
  ],
  ['largest cinema', 'SELECT name FROM cinemas ORDER BY seats DESC LIMIT 1'],
  ['oldest cinema in Basel', "SELECT name FROM cinemas WHERE city='Basel' ORDER BY opened_on LIMIT 1"],
  ['newest film', 'SELECT title FROM films ORDER BY released_on DESC LIMIT 1'],
  ['longest film', 'SELECT title FROM films ORDER BY runtime DESC LIMIT 1'],
  [
    'what is the newest horror movie?',
    "SELECT title FROM films WHERE genre='horror' ORDER BY released_on DESC LIMIT 1",
  ],
  ['share of refunded tickets', "SELECT 100.0*AVG(status='refunded') FROM tickets"],
  ['what share of tickets was sold on the web', "SELECT 100.0*AVG(channel='web') FROM tickets"],
  [
    'percentage of refunded tickets by cinema',
    "SELECT c.name, 100.0*AVG(status='refunded') FROM tickets t JOIN cinemas c USING(cinema_id) GROUP BY c.cinema_id",
  ],
  [
    'share of revenue by channel',
    'SELECT channel, 100.0*SUM(price)/(SELECT SUM(price) FROM tickets) FROM tickets GROUP BY 1',
  ],
  [
    'share of tickets sold via the app in 2025',
    "SELECT 100.0*AVG(channel='app') FROM tickets WHERE sold_at LIKE '2025%'",
  ],
  ['tickets of more than 20 euro', 'SELECT ticket_id FROM tickets WHERE price>20'],
  [
    'how many tickets under 10 euros were sold in 2025?',
    "SELECT COUNT(*) FROM tickets WHERE price<10 AND sold_at LIKE '2025%'",
  ],
  ['films longer than 120 minutes', 'SELECT title FROM films WHERE runtime>120'],
  ['average seats of cinemas by city', 'SELECT city, AVG(seats) FROM cinemas GROUP BY 1'],
  ['average number of seats by city', 'SELECT city, AVG(seats) FROM cinemas GROUP BY 1'],
  ['booking fees by channel', 'SELECT channel, SUM(fee) FROM tickets GROUP BY 1'],
  ['total booking fees in 2025', "SELECT SUM(fee) FROM tickets WHERE sold_at LIKE '2025%'"],
  [
    'average booking fee per cinema',
    'SELECT c.name, AVG(fee) FROM tickets t JOIN cinemas c USING(cinema_id) GROUP BY c.cinema_id',
  ],
  ['average running time by genre', 'SELECT genre, AVG(runtime) FROM films GROUP BY 1'],
  [
    'average ticket price by cinema',
    'SELECT c.name, AVG(price) FROM tickets t JOIN cinemas c USING(cinema_id) GROUP BY c.cinema_id',
  ],
  [
    'which genre brought in the most revenue in 2025?',
    "SELECT genre, SUM(price) s FROM tickets t JOIN films f USING(film_id) WHERE sold_at LIKE '2025%' GROUP BY 1 ORDER BY s DESC LIMIT 1",
  ],
  ['how many tickets did we sell last month?', "SELECT COUNT(*) FROM tickets WHERE sold_at LIKE '2025-11%'"],
  [
    'monthly revenue in Bern in 2025',
    "SELECT strftime('%Y-%m',sold_at), SUM(price) FROM tickets t JOIN cinemas c USING(cinema_id) WHERE city='Bern' AND sold_at LIKE '2025%' GROUP BY 1",
  ],
  [
    'revenue by genre >> as average price',
    'SELECT genre, AVG(price) FROM tickets t JOIN films f USING(film_id) GROUP BY 1',
  ],
  [
    'revenue by cinema in 2025 >> top 2',
    "SELECT c.name, SUM(price) s FROM tickets t JOIN cinemas c USING(cinema_id) WHERE sold_at LIKE '2025%' GROUP BY c.cinema_id ORDER BY s DESC LIMIT 2",
  ],
  ['how many tickets in 2024 >> and in 2025?', "SELECT COUNT(*) FROM tickets WHERE sold_at LIKE '2025%'"],
  [
    'tickets by channel in 2024 >> what about 2025',
    "SELECT channel, COUNT(*) FROM tickets WHERE sold_at LIKE '2025%' GROUP BY 1",
  ],
  [
    'number of tickets by city >> I meant the revenue',
    'SELECT city, SUM(price) FROM tickets t JOIN cinemas c USING(cinema_id) GROUP BY 1',
  ],
  ['revenue by city >> no, by genre', 'SELECT genre, SUM(price) FROM tickets t JOIN films f USING(film_id) GROUP BY 1'],
  ['revenue in 2025 >> how many tickets was that?', "SELECT COUNT(*) FROM tickets WHERE sold_at LIKE '2025%'"],
  [
    'revenue by genre in 2025 >> only Basel >> and the booking fees?',
    "SELECT genre, SUM(fee) FROM tickets t JOIN films f USING(film_id) JOIN cinemas c USING(cinema_id) WHERE sold_at LIKE '2025%' AND city='Basel' GROUP BY 1",
  ],
  ['share of refunded tickets >> by channel', "SELECT channel, 100.0*AVG(status='refunded') FROM tickets GROUP BY 1"],
];
