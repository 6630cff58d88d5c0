/**
 * Generates a semantic layer of any size, and questions whose right entity is known, to measure what the model is given.
 * The same seed gives the same bytes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface GeneratedQuestion {
  readonly question: string;
  /** Name of the entity that answers it. */
  readonly entity: string;
  readonly by: 'name' | 'synonym' | 'value' | 'description' | 'column' | 'metric' | 'term' | 'typo';
}

export interface GeneratedLayer {
  /** Path below the layer's root, and text. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly questions: readonly GeneratedQuestion[];
}

const areas = words(`billing support shipping payroll marketing procurement inventory catalog compliance treasury
  recruiting training facilities fleet research clinic insurance lending loyalty advertising returns warehouse
  manufacturing quality maintenance energy travel events partner wholesale retail legal audit security network
  telemetry subscription licensing education donation`);
const areaSynonyms = words(`invoicing helpdesk freight wages promotion sourcing stockroom assortment regulatory cash
  hiring coaching premises vehicles laboratory hospital underwriting credit rewards advertisement reversal depot
  factory inspection upkeep utility trip conference reseller bulk storefront counsel examination protection lan
  sensor membership permit school charity`);
const things = words(`order invoice ticket shipment payment contract employee customer supplier product batch campaign
  session claim policy account transaction visit appointment device alert incident change request asset location route
  stop driver vehicle schedule shift course lesson certificate budget forecast allocation transfer refund dispute quote
  proposal lead survey response score benchmark sample test`);
const thingSynonyms = words(`purchase bill case parcel remittance agreement worker client vendor article lot drive
  login demand coverage ledger movement call booking gadget warning outage modification petition holding site itinerary
  halt chauffeur truck timetable duty class tutorial diploma plan projection share relocation reimbursement objection
  estimate pitch prospect questionnaire reply rating yardstick specimen trial`);
const traits = words(`amber basalt cedar delta ember fjord garnet harbor indigo juniper krypton lagoon meadow nectar
  onyx pebble quartz raven saffron tundra umber velvet willow xenon yarrow zephyr acorn birch cobalt drift echo flint
  grove hazel iris jade kelp linen maple nimbus opal pine quill ridge slate thyme ultra vapor wren yucca`);
const pools = words('region segment channel tier stage priority category method origin team');
const poolValues = words('north south east west gold silver bronze online offline partner direct new open closed');

/** `entityCount` entities, at most 2,000, with about `questionCount` questions spread over them. */
export function generateLayer(entityCount: number, questionCount = 200, seed = 1): GeneratedLayer {
  const random = mulberry32(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const entities = Array.from({ length: entityCount }, (_, index) => describeEntity(index, pick, random));
  const files = entities.map((entity, index) => ({
    path: `entities/${entity.name}.yml`,
    text: entityText(entity, entities[(index * 7 + 3) % entities.length]!, random),
  }));
  const withMetric = entities.filter((_, index) => index % 10 === 0);
  const withTerm = entities.filter((_, index) => index % 20 === 5);
  files.push(
    { path: 'catalog.yml', text: `name: Generated\ndescription: ${entityCount} tables of a company.\n` },
    { path: 'metrics/core.yml', text: `metrics:\n${withMetric.map(metricText).join('')}` },
    { path: 'glossary.yml', text: `terms:\n${withTerm.map(termText).join('')}` },
  );
  const questions: GeneratedQuestion[] = [];
  const kinds = ['name', 'synonym', 'value', 'description', 'column', 'typo', 'metric', 'term'] as const;
  for (let index = 0; index < questionCount; index++) {
    const by = kinds[index % kinds.length]!;
    const entity = by === 'metric' ? pick(withMetric) : by === 'term' ? pick(withTerm) : pick(entities);
    if (entity !== undefined) questions.push({ question: ask(entity, by, pick), entity: entity.name, by });
  }
  return { files, questions };
}

/** Writes the files below `dir`. */
export function writeLayer(dir: string, { files }: Pick<GeneratedLayer, 'files'>): void {
  for (const folder of ['entities', 'metrics']) mkdirSync(join(dir, folder), { recursive: true });
  for (const { path, text } of files) writeFileSync(join(dir, path), text);
}

interface GeneratedEntity {
  readonly name: string;
  readonly area: string;
  readonly thing: string;
  readonly synonym: string;
  readonly purpose: string;
  readonly special: string;
  readonly values: readonly string[];
  readonly metric: string;
  readonly term: string;
}

function describeEntity(index: number, pick: <T>(list: readonly T[]) => T, random: () => number): GeneratedEntity {
  // 7 and 40, 13 and 50 have no common factor: neighbours in number are of different areas and things.
  const areaIndex = (index * 7 + Math.floor(index / 40)) % areas.length;
  const thingIndex = Math.floor(index / areas.length) % things.length;
  const area = areas[areaIndex]!;
  const thing = things[thingIndex]!;
  const first = traits[index % traits.length]!;
  const step = 1 + ((Math.floor(index / traits.length) + index * 3) % (traits.length - 1));
  const second = traits[(index + step) % traits.length]!;
  const third = pick(traits);
  return {
    name: `${area}_${thing}s`,
    area,
    thing,
    synonym: `${areaSynonyms[areaIndex]!} ${thingSynonyms[thingIndex]!}s`,
    purpose: `${first} ${second} ${pick(['programme', 'process', 'initiative', 'desk'])}`,
    special: `${second}_${first}_${pick(['score', 'amount', 'level', 'ratio'])}`,
    values: [`${first}-${Math.floor(random() * 9000) + 1000}`, `${second} ${third}`, `${thing} ${index}`],
    metric: `${area} ${thing} ${pick(['throughput', 'backlog', 'yield', 'leakage'])}`,
    term: `${first} ${thing} ${pick(['holdback', 'spillover', 'carryover'])}`,
  };
}

function entityText(entity: GeneratedEntity, target: GeneratedEntity, random: () => number): string {
  const own = pools.filter(() => random() < 0.6);
  const dimensions = own.map(
    (pool) => `  - name: ${pool}
    type: string
    description: The ${pool} of the ${entity.thing}
    sample_values: [${poolValues.filter(() => random() < 0.3).join(', ')}]
`,
  );
  return `table: ${entity.name}
type: table
grain: one row per ${entity.thing}
description: ${capital(entity.area)} ${entity.thing}s, kept for the ${entity.purpose}.
synonyms: [${entity.synonym}]
dimensions:
  - name: id
    type: number
    primary_key: true
  - name: ${target.name}_id
    type: number
    description: The ${target.thing} it belongs to
  - name: created_at
    type: timestamp
    description: When the ${entity.thing} was created
  - name: status
    type: string
    description: Where the ${entity.thing} stands
    sample_values: [open, closed, pending]
  - name: ${entity.special}
    type: number
    description: ${capital(entity.special.replaceAll('_', ' '))} of the ${entity.thing}
  - name: code
    type: string
    sample_values: [${entity.values.join(', ')}]
${dimensions.join('')}measures:
  - name: ${entity.thing}_count
    type: count
    description: Number of ${entity.thing}s
  - name: total_${entity.special}
    type: sum
    sql: ${entity.special}
joins:
  - target: ${target.name}
    relationship: many_to_one
    on: { from: ${target.name}_id, to: id }
`;
}

function metricText(entity: GeneratedEntity): string {
  return `  - id: ${entity.metric.replaceAll(' ', '_')}
    label: ${capital(entity.metric)}
    description: How the ${entity.area} team is doing
    entity: ${entity.name}
    measure: total_${entity.special}
`;
}

function termText(entity: GeneratedEntity): string {
  return `  - term: ${entity.term}
    definition: A ${entity.thing} that is still open.
    entity: ${entity.name}
    sql: status = 'open'
`;
}

function ask(entity: GeneratedEntity, by: GeneratedQuestion['by'], pick: <T>(list: readonly T[]) => T): string {
  const spoken = `${entity.area} ${entity.thing}s`;
  switch (by) {
    case 'name':
      return pick([
        `How many ${spoken} were there last month?`,
        `Show me ${entity.name} by status`,
        `what is the trend of ${entity.thing}s in ${entity.area}, by week`,
      ]);
    case 'synonym':
      return pick([`How many ${entity.synonym} do we have?`, `Top 10 ${entity.synonym} of this year`]);
    case 'value':
      return pick([`What happened with ${entity.values[0]}?`, `List everything with code "${entity.values[0]}"`]);
    case 'description':
      return pick([
        `What do we keep for the ${entity.purpose}?`,
        `${capital(entity.purpose)}: number of ${entity.thing}s`,
      ]);
    case 'column':
      return `What is the average ${entity.special.replaceAll('_', ' ')} of a ${entity.area} ${entity.thing}?`;
    case 'metric':
      return `How did ${entity.metric} develop over the past 6 months?`;
    case 'term':
      return `How many ${entity.term}s are there in ${entity.area}?`;
    case 'typo': {
      const at = Math.floor(entity.area.length / 2);
      return `How many ${entity.area.slice(0, at)}${entity.area.slice(at + 1)} ${entity.thing}s per status?`;
    }
  }
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A small generator of repeatable numbers from 0 up to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
