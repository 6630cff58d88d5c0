/** Holds the words that stand in a chart, in English. */
export const CHART_TEXTS = {
  mark: { bar: 'Bars', line: 'Lines', area: 'Areas', point: 'Points', pie: 'Pie' },
  count: 'Number of rows',
  values: 'Values',
  rest: 'Other',
  null: 'NULL',
  negativePie: 'A pie cannot show values below zero. Choose bars instead.',
  head: (mark: string, values: string, across: string) => `${mark}: ${values} by ${across}`,
  split: (series: string) => `, split by ${series}`,
  ends: (most: string, least: string) => `Highest ${most}; lowest ${least}.`,
  firstShown: (shown: string, all: string) => `First ${shown} of ${all} shown.`,
  otherSeries: (shown: string, all: string) => `${shown} of ${all} series shown.`,
} as const;
