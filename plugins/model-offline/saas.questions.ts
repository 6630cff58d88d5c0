/** Questions over subscriptions and support, with the SQL that answers them. Today is 2025-12-15. */
const S = 'FROM subscriptions s JOIN crm_accounts a ON a.id = s.account_id';
const T = 'FROM support_tickets t JOIN crm_accounts a ON a.id = t.account_id';

/** `null` where the reader must ask or refuse. */
export const SAAS: readonly (readonly [question: string, sql: string | null])[] = [
  ['How many accounts do we have?', 'SELECT COUNT(*) FROM crm_accounts'],
  ['how many companies are in retail', "SELECT COUNT(*) FROM crm_accounts WHERE industry = 'Retail'"],
  ['accounts by industry', 'SELECT industry, COUNT(*) FROM crm_accounts GROUP BY 1'],
  ['How many accounts in health care?', "SELECT COUNT(*) FROM crm_accounts WHERE industry = 'Health Care'"],
  ['How many accounts in IN?', "SELECT COUNT(*) FROM crm_accounts WHERE country_code = 'IN'"],
  ['How many accounts in NO or DE?', "SELECT COUNT(*) FROM crm_accounts WHERE country_code IN ('NO', 'DE')"],
  ['What is our total MRR?', 'SELECT SUM(mrr) FROM subscriptions'],
  ['monthly recurring revenue by plan', 'SELECT plan, SUM(mrr) FROM subscriptions GROUP BY 1'],
  ['MRR of active subscriptions', "SELECT SUM(mrr) FROM subscriptions WHERE status = 'active'"],
  [
    'mrr of paying subscriptions by industry',
    `SELECT a.industry, SUM(s.mrr) ${S} WHERE s.plan <> 'free' AND s.status = 'active' GROUP BY 1`,
  ],
  ['average mrr per plan', 'SELECT plan, AVG(mrr) FROM subscriptions GROUP BY 1'],
  ['average seats per plan', 'SELECT plan, AVG(seats) FROM subscriptions GROUP BY 1'],
  [
    'How many licenses do enterprise subscriptions have?',
    "SELECT SUM(seats) FROM subscriptions WHERE plan = 'enterprise'",
  ],
  ['How many subscriptions started in 2025?', "SELECT COUNT(*) FROM subscriptions WHERE started_at LIKE '2025%'"],
  [
    'How many subscriptions were canceled in 2025?',
    "SELECT COUNT(*) FROM subscriptions WHERE canceled_at LIKE '2025%'",
  ],
  ['How many cancelled subscriptions are there?', "SELECT COUNT(*) FROM subscriptions WHERE status = 'canceled'"],
  ['How many past due subscriptions?', "SELECT COUNT(*) FROM subscriptions WHERE status = 'past_due'"],
  [
    'subscriptions that are not active by plan',
    "SELECT plan, COUNT(*) FROM subscriptions WHERE status <> 'active' GROUP BY 1",
  ],
  ['How many subscriptions with auto renew?', 'SELECT COUNT(*) FROM subscriptions WHERE auto_renew'],
  ['How many subscriptions without auto renew?', 'SELECT COUNT(*) FROM subscriptions WHERE NOT auto_renew'],
  ['How many accounts churned in 2025?', "SELECT COUNT(*) FROM crm_accounts WHERE churned_at LIKE '2025%'"],
  ['How many churned accounts do we have?', 'SELECT COUNT(*) FROM crm_accounts WHERE churned_at IS NOT NULL'],
  ['How many accounts have not churned?', 'SELECT COUNT(*) FROM crm_accounts WHERE churned_at IS NULL'],
  [
    'churned accounts by industry',
    'SELECT industry, COUNT(*) FROM crm_accounts WHERE churned_at IS NOT NULL GROUP BY 1',
  ],
  ['How many large accounts are there?', 'SELECT COUNT(*) FROM crm_accounts WHERE employee_count > 500'],
  ['How many accounts have more than 500 employees?', 'SELECT COUNT(*) FROM crm_accounts WHERE employee_count > 500'],
  [
    'How many accounts with between 100 and 500 employees?',
    'SELECT COUNT(*) FROM crm_accounts WHERE employee_count BETWEEN 100 AND 500',
  ],
  ['average headcount by industry', 'SELECT industry, AVG(employee_count) FROM crm_accounts GROUP BY 1'],
  [
    'Which company has the most employees?',
    'SELECT company_name, employee_count FROM crm_accounts ORDER BY 2 DESC LIMIT 1',
  ],
  ['top 5 companies by mrr', `SELECT a.company_name, SUM(s.mrr) ${S} GROUP BY a.id ORDER BY 2 DESC LIMIT 5`],
  [
    'Which account manager has the most accounts?',
    'SELECT owner, COUNT(*) FROM crm_accounts GROUP BY 1 ORDER BY 2 DESC LIMIT 1',
  ],
  ['How many accounts does Maya Lin own?', null],
  [
    'accounts of Maya Lin by country',
    "SELECT country_code, COUNT(*) FROM crm_accounts WHERE owner = 'Maya Lin' GROUP BY 1",
  ],
  ['How many tickets are open?', "SELECT COUNT(*) FROM support_tickets WHERE state = 'open'"],
  ['How many tickets were opened last month?', "SELECT COUNT(*) FROM support_tickets WHERE opened_at LIKE '2025-11%'"],
  [
    'How many tickets were closed in Q3 2025?',
    "SELECT COUNT(*) FROM support_tickets WHERE closed_at >= '2025-07-01' AND closed_at < '2025-10-01'",
  ],
  ['How many tickets have not been closed?', 'SELECT COUNT(*) FROM support_tickets WHERE closed_at IS NULL'],
  ['urgent tickets by channel', "SELECT channel, COUNT(*) FROM support_tickets WHERE priority = 'urgent' GROUP BY 1"],
  ['tickets by priority and state', 'SELECT priority, state, COUNT(*) FROM support_tickets GROUP BY 1, 2'],
  [
    'urgent backlog by channel',
    "SELECT channel, COUNT(*) FROM support_tickets WHERE state = 'open' AND priority IN ('high', 'urgent') GROUP BY 1",
  ],
  [
    'average first response time by priority',
    'SELECT priority, AVG(first_response_hours) FROM support_tickets GROUP BY 1',
  ],
  ['average csat by channel', 'SELECT channel, AVG(satisfaction) FROM support_tickets GROUP BY 1'],
  [
    'tickets with a response time over 24 hours',
    'SELECT ticket_no FROM support_tickets WHERE first_response_hours > 24',
  ],
  [
    'How many tickets with a response time over 24 hours',
    'SELECT COUNT(*) FROM support_tickets WHERE first_response_hours > 24',
  ],
  ['How many tickets by industry', `SELECT a.industry, COUNT(*) ${T} GROUP BY 1`],
  [
    'How many phone and chat tickets did we get from Finance in 2025?',
    `SELECT COUNT(*) ${T} WHERE t.channel IN ('phone', 'chat') AND a.industry = 'Finance' AND t.opened_at LIKE '2025%'`,
  ],
  [
    'Which companies have never opened a ticket?',
    'SELECT id FROM crm_accounts WHERE id NOT IN (SELECT account_id FROM support_tickets)',
  ],
  [
    'How many accounts have no subscription?',
    'SELECT COUNT(*) FROM crm_accounts WHERE id NOT IN (SELECT account_id FROM subscriptions)',
  ],
  [
    'How many accounts have an active subscription?',
    "SELECT COUNT(*) FROM crm_accounts WHERE id IN (SELECT account_id FROM subscriptions WHERE status = 'active')",
  ],
  [
    'How many accounts have more than 8 tickets?',
    'SELECT COUNT(*) FROM (SELECT account_id FROM support_tickets GROUP BY 1 HAVING COUNT(*) > 8)',
  ],
  [
    'How many accounts have more than 2 urgent tickets in 2025?',
    "SELECT COUNT(*) FROM (SELECT account_id FROM support_tickets WHERE priority = 'urgent' AND opened_at LIKE '2025%' GROUP BY 1 HAVING COUNT(*) > 2)",
  ],
  [
    'Which accounts have at least 10 issues?',
    `SELECT a.company_name, COUNT(*) ${T} GROUP BY a.id HAVING COUNT(*) >= 10`,
  ],
  ['revenue per account by industry', `SELECT a.industry, SUM(s.mrr) / COUNT(DISTINCT s.account_id) ${S} GROUP BY 1`],
  ['How many customers do we have?', null],
  ['ARR by plan', null],
  ['What percentage of tickets are urgent?', "SELECT 100.0 * SUM(priority = 'urgent') / COUNT(*) FROM support_tickets"],
  [
    'what percentage of subscriptions are on the pro plan',
    "SELECT 100.0 * SUM(plan = 'pro') / COUNT(*) FROM subscriptions",
  ],
  [
    'share of mrr by plan',
    'SELECT plan, SUM(mrr), 100.0 * SUM(mrr) / (SELECT SUM(mrr) FROM subscriptions) FROM subscriptions GROUP BY 1',
  ],
  [
    'tickets opened per month in 2025',
    "SELECT substr(opened_at, 1, 7), COUNT(*) FROM support_tickets WHERE opened_at LIKE '2025%' GROUP BY 1",
  ],
  [
    'monthly tickets closed in 2025',
    "SELECT substr(closed_at, 1, 7), COUNT(*) FROM support_tickets WHERE closed_at LIKE '2025%' GROUP BY 1",
  ],
  [
    'tickets closed per month in 2025',
    "SELECT substr(closed_at, 1, 7), COUNT(*) FROM support_tickets WHERE closed_at LIKE '2025%' GROUP BY 1",
  ],
  ['ticket 1017', 'SELECT state, opened_at FROM support_tickets WHERE ticket_no = 1017'],
  ['What is the state of ticket 1017?', 'SELECT state FROM support_tickets WHERE ticket_no = 1017'],
  [
    'Show all urgent tickets that are open',
    "SELECT ticket_no FROM support_tickets WHERE priority = 'urgent' AND state = 'open'",
  ],
  [
    'List accounts in Education created in 2024',
    "SELECT id FROM crm_accounts WHERE industry = 'Education' AND created_at LIKE '2024%'",
  ],
  ['oldest open ticket', "SELECT ticket_no FROM support_tickets WHERE state = 'open' ORDER BY opened_at LIMIT 1"],
  ['How many tickets did we get yesterday?', "SELECT COUNT(*) FROM support_tickets WHERE opened_at LIKE '2025-12-14%'"],
  [
    'How many tickets in the past 3 months by week',
    "SELECT strftime('%Y-%W', opened_at), COUNT(*) FROM support_tickets WHERE opened_at >= '2025-09-15' AND opened_at < '2025-12-16' GROUP BY 1",
  ],
  ['What plans do we have?', 'SELECT DISTINCT plan FROM subscriptions'],
  ['How many tiers are there?', 'SELECT COUNT(DISTINCT plan) FROM subscriptions'],
  [
    'Which plan has the highest average mrr?',
    'SELECT plan, AVG(mrr) FROM subscriptions GROUP BY 1 ORDER BY 2 DESC LIMIT 1',
  ],
  ['lowest number of seats', 'SELECT MIN(seats) FROM subscriptions'],
  ['What is the largest number of seats?', 'SELECT MAX(seats) FROM subscriptions'],
  ['most common priority', 'SELECT priority, COUNT(*) FROM support_tickets GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1'],
  ['Which subscriptions have a mrr above 800?', 'SELECT id FROM subscriptions WHERE mrr > 800'],
  ['How many invoices are overdue?', null],
  ['How many accounts in Berlin?', null],
  ['profit by plan', null],
  ['subscriptions by plan except free', "SELECT plan, COUNT(*) FROM subscriptions WHERE plan <> 'free' GROUP BY 1"],
  [
    'How many subscriptions are neither free nor starter?',
    "SELECT COUNT(*) FROM subscriptions WHERE plan NOT IN ('free', 'starter')",
  ],
  ['number of subscriptions and total mrr by plan', 'SELECT plan, COUNT(*), SUM(mrr) FROM subscriptions GROUP BY 1'],
  ['total mrr for Retail and Finance', `SELECT SUM(s.mrr) ${S} WHERE a.industry IN ('Retail', 'Finance')`],
  [
    'compare mrr of Retail and Finance',
    `SELECT a.industry, SUM(s.mrr) ${S} WHERE a.industry IN ('Retail', 'Finance') GROUP BY 1`,
  ],
];
