/** Questions over the clinic, with the SQL that answers them. Today is 2025-12-15. */
const revenue = 'SUM(fee)';
const V =
  'FROM visits v JOIN patients p ON p.patient_id = v.patient_id JOIN doctors d ON d.doctor_id = v.doctor_id JOIN departments e ON e.department_id = d.department_id';

/** `null` where the reader must ask or refuse. */
export const CLINIC: readonly (readonly [question: string, sql: string | null])[] = [
  ['How many patients are there?', 'SELECT COUNT(*) FROM patients'],
  ['How many visits did we have in 2025?', "SELECT COUNT(*) FROM visits WHERE visit_date LIKE '2025%'"],
  [
    'number of appointments per doctor',
    'SELECT d.name, COUNT(*) FROM visits v JOIN doctors d USING (doctor_id) GROUP BY d.doctor_id',
  ],
  [
    'How many no-shows were there last month?',
    "SELECT COUNT(*) FROM visits WHERE status = 'no_show' AND visit_date LIKE '2025-11%'",
  ],
  [
    'How many missed appointments by specialty?',
    `SELECT d.specialty, COUNT(*) ${V} WHERE v.status = 'no_show' GROUP BY 1`,
  ],
  [
    'no-show rate by doctor',
    "SELECT d.name, 100.0 * SUM(v.status = 'no_show') / COUNT(*) FROM visits v JOIN doctors d USING (doctor_id) GROUP BY d.doctor_id",
  ],
  [
    'What is the no show rate in 2025',
    "SELECT 100.0 * SUM(status = 'no_show') / COUNT(*) FROM visits WHERE visit_date LIKE '2025%'",
  ],
  [
    'revenue by month in 2025',
    `SELECT substr(visit_date, 1, 7), ${revenue} FROM visits WHERE visit_date LIKE '2025%' GROUP BY 1`,
  ],
  [
    'What was our income in Q1 2025?',
    `SELECT ${revenue} FROM visits WHERE visit_date >= '2025-01-01' AND visit_date < '2025-04-01'`,
  ],
  ['total fees for cardiology', `SELECT ${revenue} ${V} WHERE d.specialty = 'Cardiology'`],
  ['average duration of visits by specialty', `SELECT d.specialty, AVG(v.duration_minutes) ${V} GROUP BY 1`],
  ['average fee', 'SELECT AVG(fee) FROM visits'],
  ['average fee per specialty', `SELECT d.specialty, AVG(v.fee) ${V} GROUP BY 1`],
  ['What is the highest fee?', 'SELECT MAX(fee) FROM visits'],
  ['What is the lowest fee in 2024?', "SELECT MIN(fee) FROM visits WHERE visit_date LIKE '2024%'"],
  ['shortest duration', 'SELECT MIN(duration_minutes) FROM visits'],
  ['How many patients live in Leipzig?', "SELECT COUNT(*) FROM patients WHERE city = 'Leipzig'"],
  ['How many patients from Dresden or Halle?', "SELECT COUNT(*) FROM patients WHERE city IN ('Dresden', 'Halle')"],
  ['How many patients are not from Leipzig?', "SELECT COUNT(*) FROM patients WHERE city <> 'Leipzig'"],
  ['patients by city and gender', 'SELECT city, gender, COUNT(*) FROM patients GROUP BY 1, 2'],
  [
    'number of female patients with private insurance',
    "SELECT COUNT(*) FROM patients WHERE gender = 'female' AND insurance = 'private'",
  ],
  ['How many active patients do we have?', 'SELECT COUNT(*) FROM patients WHERE is_active'],
  ['How many patients are not active?', 'SELECT COUNT(*) FROM patients WHERE NOT is_active'],
  ['How many inactive patients', 'SELECT COUNT(*) FROM patients WHERE NOT is_active'],
  ['patients without email', 'SELECT patient_id FROM patients WHERE email IS NULL'],
  ['How many patients have no email?', 'SELECT COUNT(*) FROM patients WHERE email IS NULL'],
  ['List patients without an email', 'SELECT patient_id, full_name FROM patients WHERE email IS NULL'],
  [
    'Which patients have never had a visit?',
    'SELECT patient_id FROM patients WHERE patient_id NOT IN (SELECT patient_id FROM visits)',
  ],
  [
    'How many patients have no visits in 2025?',
    "SELECT COUNT(*) FROM patients WHERE patient_id NOT IN (SELECT patient_id FROM visits WHERE visit_date LIKE '2025%')",
  ],
  [
    'How many patients have more than 10 visits?',
    'SELECT COUNT(*) FROM (SELECT patient_id FROM visits GROUP BY 1 HAVING COUNT(*) > 10)',
  ],
  [
    'Which patients had at least 15 visits?',
    'SELECT p.full_name, COUNT(*) FROM visits JOIN patients p USING (patient_id) GROUP BY p.patient_id HAVING COUNT(*) >= 15',
  ],
  [
    'patients with more than 2 cancelled visits in 2024',
    "SELECT p.full_name, COUNT(*) FROM visits v JOIN patients p USING (patient_id) WHERE v.status = 'cancelled' AND v.visit_date LIKE '2024%' GROUP BY p.patient_id HAVING COUNT(*) > 2",
  ],
  [
    'Which patients had more than 2 no-shows?',
    "SELECT p.full_name, COUNT(*) FROM visits v JOIN patients p USING (patient_id) WHERE v.status = 'no_show' GROUP BY p.patient_id HAVING COUNT(*) > 2",
  ],
  [
    'Which patients have more than 2 cancelled visits in 2025?',
    "SELECT p.full_name, COUNT(*) FROM visits v JOIN patients p USING (patient_id) WHERE v.status = 'cancelled' AND v.visit_date LIKE '2025%' GROUP BY p.patient_id HAVING COUNT(*) > 2",
  ],
  [
    'How many patients visited in March 2025?',
    "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE visit_date LIKE '2025-03%'",
  ],
  [
    'How many unique patients were seen in 2025',
    "SELECT COUNT(DISTINCT patient_id) FROM visits WHERE visit_date LIKE '2025%'",
  ],
  [
    'patients treated per month in 2025',
    "SELECT substr(visit_date, 1, 7), COUNT(DISTINCT patient_id) FROM visits WHERE visit_date LIKE '2025%' GROUP BY 1",
  ],
  [
    'Which doctor had the most visits?',
    'SELECT d.name, COUNT(*) FROM visits JOIN doctors d USING (doctor_id) GROUP BY d.doctor_id ORDER BY 2 DESC LIMIT 1',
  ],
  [
    'top 3 doctors by revenue in 2025',
    `SELECT d.name, SUM(v.fee) ${V} WHERE v.visit_date LIKE '2025%' GROUP BY d.doctor_id ORDER BY 2 DESC LIMIT 3`,
  ],
  [
    'Which specialty has the lowest average rating?',
    `SELECT d.specialty, AVG(v.rating) ${V} GROUP BY 1 ORDER BY 2 LIMIT 1`,
  ],
  ['bottom 2 cities by number of visits', `SELECT p.city, COUNT(*) ${V} GROUP BY 1 ORDER BY 2 LIMIT 2`],
  ['revenue by department', `SELECT e.name, SUM(v.fee) ${V} GROUP BY e.department_id`],
  ['visits in the North Wing', `SELECT COUNT(*) ${V} WHERE e.name = 'North Wing'`],
  ['How many visits in the North Wing?', `SELECT COUNT(*) ${V} WHERE e.name = 'North Wing'`],
  ['How many visits on floor 2?', `SELECT COUNT(*) ${V} WHERE e.floor = 2`],
  ['How many visits over 100 were there?', null],
  ['How many visits with a fee over 100?', 'SELECT COUNT(*) FROM visits WHERE fee > 100'],
  ['How many visits cost more than 100?', null],
  ['visits longer than 30 minutes', 'SELECT visit_id FROM visits WHERE duration_minutes > 30'],
  [
    'How many visits with a duration of at least 30 minutes',
    'SELECT COUNT(*) FROM visits WHERE duration_minutes >= 30',
  ],
  ['How many visits over 45 minutes?', 'SELECT COUNT(*) FROM visits WHERE duration_minutes > 45'],
  [
    'How many long visits in 2025',
    "SELECT COUNT(*) FROM visits WHERE duration_minutes > 45 AND visit_date LIKE '2025%'",
  ],
  [
    'How many expensive visits by doctor',
    'SELECT d.name, COUNT(*) FROM visits v JOIN doctors d USING (doctor_id) WHERE v.fee > 150 GROUP BY d.doctor_id',
  ],
  ['number of attended visits', "SELECT COUNT(*) FROM visits WHERE status NOT IN ('cancelled', 'no_show')"],
  ['How many seniors do we have?', "SELECT COUNT(*) FROM patients WHERE birth_date < '1960-01-01'"],
  [
    'visits of senior patients by month in 2024',
    `SELECT substr(v.visit_date, 1, 7), COUNT(*) ${V} WHERE p.birth_date < '1960-01-01' AND v.visit_date LIKE '2024%' GROUP BY 1`,
  ],
  ['net income in 2025', "SELECT SUM(fee) FROM visits WHERE status = 'completed' AND visit_date LIKE '2025%'"],
  [
    'net income by doctor',
    "SELECT d.name, SUM(v.fee) FROM visits v JOIN doctors d USING (doctor_id) WHERE v.status = 'completed' GROUP BY d.doctor_id",
  ],
  ['How many local patients', "SELECT COUNT(*) FROM patients WHERE city IN ('Leipzig', 'Halle')"],
  ['volume in 2025', null],
  ['What percentage of visits were cancelled?', "SELECT 100.0 * SUM(status = 'cancelled') / COUNT(*) FROM visits"],
  [
    'What percentage of visits in 2025 were no-shows?',
    "SELECT 100.0 * SUM(status = 'no_show') / COUNT(*) FROM visits WHERE visit_date LIKE '2025%'",
  ],
  [
    'percentage of patients with private insurance',
    "SELECT 100.0 * SUM(insurance = 'private') / COUNT(*) FROM patients",
  ],
  [
    'share of revenue by specialty',
    `SELECT d.specialty, SUM(v.fee), 100.0 * SUM(v.fee) / (SELECT SUM(fee) FROM visits) ${V} GROUP BY 1`,
  ],
  ['visits booked in March 2025', "SELECT COUNT(*) FROM visits WHERE booked_at LIKE '2025-03%'"],
  ['How many visits were booked in March 2025?', "SELECT COUNT(*) FROM visits WHERE booked_at LIKE '2025-03%'"],
  ['How many patients registered in 2024?', "SELECT COUNT(*) FROM patients WHERE registered_at LIKE '2024%'"],
  [
    'new patients per quarter in 2024',
    "SELECT COUNT(*) FROM patients WHERE registered_at LIKE '2024%' GROUP BY (CAST(substr(registered_at, 6, 2) AS INTEGER) + 2) / 3",
  ],
  ['How many patients were born before 1970?', "SELECT COUNT(*) FROM patients WHERE birth_date < '1970-01-01'"],
  ['How many doctors were hired since 2022?', "SELECT COUNT(*) FROM doctors WHERE hired_on >= '2022-01-01'"],
  ['doctors by specialty', 'SELECT specialty, COUNT(*) FROM doctors GROUP BY 1'],
  ['How many different specialties are there?', 'SELECT COUNT(DISTINCT specialty) FROM doctors'],
  ['What specialties are there?', 'SELECT DISTINCT specialty FROM doctors'],
  ['List all doctors', 'SELECT doctor_id, name FROM doctors'],
  ['Show me the doctors in Cardiology', "SELECT name FROM doctors WHERE specialty = 'Cardiology'"],
  ['Which doctors are in Dermatology?', "SELECT doctor_id, name FROM doctors WHERE specialty = 'Dermatology'"],
  ['list the names of patients in Halle', "SELECT full_name FROM patients WHERE city = 'Halle'"],
  ['latest 5 visits', 'SELECT visit_date, visit_id FROM visits ORDER BY 1 DESC LIMIT 5'],
  ['When was the last visit?', 'SELECT MAX(visit_date) FROM visits'],
  ['How many visits without a rating?', 'SELECT COUNT(*) FROM visits WHERE rating IS NULL'],
  ['visits by rating', 'SELECT rating, COUNT(*) FROM visits GROUP BY 1'],
  ['How many visits with rating 4 or 5', 'SELECT COUNT(*) FROM visits WHERE rating IN (4, 5)'],
  ['How many first visits in 2025?', "SELECT COUNT(*) FROM visits WHERE is_first_visit AND visit_date LIKE '2025%'"],
  [
    'visits last month vs previous month',
    "SELECT SUM(visit_date LIKE '2025-11%'), SUM(visit_date LIKE '2025-10%') FROM visits",
  ],
  [
    'How many visits this year compared to last year?',
    "SELECT SUM(visit_date LIKE '2025%'), SUM(visit_date LIKE '2024%') FROM visits",
  ],
  [
    'compare revenue in 2024 and 2025 by specialty',
    `SELECT d.specialty, SUM(v.fee * (v.visit_date LIKE '2025%')), SUM(v.fee * (v.visit_date LIKE '2024%')) ${V} GROUP BY 1`,
  ],
  [
    'daily visits in the last 7 days',
    "SELECT visit_date, COUNT(*) FROM visits WHERE visit_date >= '2025-12-08' AND visit_date < '2025-12-16' GROUP BY 1",
  ],
  [
    'weekly revenue in November 2025',
    "SELECT SUM(fee) FROM visits WHERE visit_date LIKE '2025-11%' GROUP BY strftime('%Y-%W', visit_date)",
  ],
  [
    'How many visits between 2025-03-01 and 2025-03-15',
    "SELECT COUNT(*) FROM visits WHERE visit_date BETWEEN '2025-03-01' AND '2025-03-15'",
  ],
  ['How many vists in Octobr 2025', "SELECT COUNT(*) FROM visits WHERE visit_date LIKE '2025-10%'"],
  ['revenu by docter', 'SELECT d.name, SUM(v.fee) FROM visits v JOIN doctors d USING (doctor_id) GROUP BY d.doctor_id'],
  [
    'visits by status excluding cancelled',
    "SELECT status, COUNT(*) FROM visits WHERE status <> 'cancelled' GROUP BY 1",
  ],
  ['How many surgeries last month?', null],
  ['How many visits were rescheduled?', null],
  ['average waiting time', null],
  ['visits by nurse', null],
  [
    'Which month had the most visits in 2025?',
    "SELECT substr(visit_date, 1, 7), COUNT(*) FROM visits WHERE visit_date LIKE '2025%' GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
  ],
  ['Which cities have more than 100 visits?', `SELECT p.city, COUNT(*) ${V} GROUP BY 1 HAVING COUNT(*) > 100`],
  [
    'total duration of completed visits in 2025',
    "SELECT SUM(duration_minutes) FROM visits WHERE status = 'completed' AND visit_date LIKE '2025%'",
  ],
  ['How many visits did Dr. Adler have?', null],
  [
    'number of visits for patients with public insurance by gender',
    `SELECT p.gender, COUNT(*) ${V} WHERE p.insurance = 'public' GROUP BY 1`,
  ],
];
