/** A repair shop, named as databases name things: numbers as `_no`, minutes as `_min`, dates that may be missing. */
const KEY = '  - {name: id, type: number, primary_key: true}';

export const WORKSHOP = {
  'glossary.yml': `terms:
  - {term: retired, status: defined, definition: A technician with a leaving date}
  - {term: long job, status: defined, definition: A job of more than 90 minutes that is closed}
  - {term: good client, status: defined, definition: A client who is important to us}
`,
  'entities/clients.yml': `table: clients
type: dimension
dimensions:
${KEY}
  - {name: first_name}
  - {name: last_name}
  - {name: city, sample_values: [Turin, Parma], unique_count: 2}
  - {name: is_active, type: boolean}
  - {name: joined_on, type: date}
  - {name: home_branch_id, type: number}
joins:
  - {target: branches, name: home, relationship: many_to_one, on: {from: home_branch_id, to: id}}
`,
  'entities/technicians.yml': `table: technicians
type: dimension
dimensions:
${KEY}
  - {name: full_name}
  - {name: grade, sample_values: [Inspector, Fitter], unique_count: 2}
  - {name: city}
  - {name: salary, type: number}
  - {name: birth_date, type: date}
  - {name: left_dt, type: date, nullable: true}
  - {name: manager_id, type: number}
joins:
  - {target: technicians, relationship: many_to_one, on: {from: manager_id, to: id}}
`,
  'entities/machines.yml': `table: machines
type: dimension
dimensions:
${KEY}
  - {name: name}
  - {name: serial_no}
  - {name: kind, sample_values: [Lathe, Mill], unique_count: 2}
  - {name: weight_kg, type: number}
  - {name: asking_price, type: number}
  - {name: last_inspection, type: date, nullable: true}
  - {name: scrapped_on, type: date, nullable: true}
joins:
  - {target: clients, relationship: many_to_one, on: {from: client_id, to: id}}
`,
  'entities/jobs.yml': `table: jobs
type: fact
dimensions:
${KEY}
  - {name: job_no, sample_values: [J-100, J-200]}
  - {name: appt_type, sample_values: [Repair, Service, Urgent], unique_count: 3}
  - {name: status, sample_values: [open, closed, cancelled, paused], unique_count: 4, nullable: false}
  - {name: scheduled_at, type: timestamp}
  - {name: closed_at, type: timestamp, nullable: true}
  - {name: next_due_on, type: date, nullable: true}
  - {name: duration_min, type: number}
  - {name: scrap_qty, type: number}
  - {name: paused_qty, type: number}
  - {name: inspector_id, type: number, nullable: true}
  - {name: result, sample_values: [pass, fail], unique_count: 2}
joins:
  - {target: machines, relationship: many_to_one, on: {from: machine_id, to: id}}
  - {target: technicians, relationship: many_to_one, on: {from: technician_id, to: id}}
`,
  'entities/sales.yml': `table: sales
type: fact
dimensions:
${KEY}
  - {name: sold_on, type: date}
  - {name: sale_price, type: number}
measures:
  - {name: total_sale_price, type: sum, sql: sale_price}
joins:
  - {target: machines, relationship: one_to_one, on: {from: machine_id, to: id}}
`,
  'entities/branches.yml': `table: branches
type: dimension
dimensions:
${KEY}
  - {name: name}
`,
  'entities/tools.yml': `table: tools
row_count: 60
dimensions:
${KEY}
  - {name: asset_tag, unique_count: 60}
  - {name: model, unique_count: 52}
  - {name: opened_on, type: date}
`,
  'entities/loans.yml': `table: loans
type: fact
dimensions:
${KEY}
  - {name: ordered_on, type: date}
  - {name: received_on, type: date, nullable: true}
  - {name: ended_on, type: date, nullable: true}
  - {name: status, sample_values: [running, returned, ordered], unique_count: 3}
joins:
  - {target: tools, relationship: many_to_one, on: {from: tool_id, to: id}}
`,
  'entities/checkins.yml': `table: checkins
type: fact
dimensions:
${KEY}
  - {name: checked_in_at, type: timestamp}
joins:
  - {target: clients, relationship: many_to_one, on: {from: client_id, to: id}}
`,
  'entities/downtime.yml': `table: downtime
type: fact
dimensions:
${KEY}
  - {name: started_at, type: timestamp}
  - {name: lasted_min, type: number}
joins:
  - {target: tools, relationship: many_to_one, on: {from: tool_id, to: id}}
`,
  'entities/bills.yml': `table: bills
type: fact
dimensions:
${KEY}
  - {name: bill_no}
  - {name: issued_on, type: date}
  - {name: paid_on, type: date, nullable: true}
  - {name: expires_on, type: date, nullable: true}
  - {name: discount_pct, type: number}
  - {name: status, sample_values: [open, paid, cancelled], unique_count: 3}
  - {name: total_amount, type: number}
measures:
  - {name: bill_total_amount, type: sum, sql: total_amount, synonyms: [revenue]}
joins:
  - {target: clients, relationship: many_to_one, on: {from: client_id, to: id}}
`,
};
