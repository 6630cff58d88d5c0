/** Draws a bar for each day, with the same figures as a sentence and a table. */
import type { ReactNode } from 'react';
import styles from './admin.module.css';

export interface DayChartProps {
  readonly title: string;
  /** What the chart says, in a sentence. */
  readonly summary: string;
  readonly days: readonly { readonly day: string; readonly count: number }[];
  readonly labels: { readonly day: string; readonly count: string };
}

const BAR = 64;
const WIDTH = 40;
const HEIGHT = 120;
const TOP = 16;
const BOTTOM = 20;

const WEEKDAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', timeZone: 'UTC' });
const FULL_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' });
const dateOf = (day: string) => new Date(`${day}T00:00:00Z`);

/** In pixels; of the tallest the whole height. A day with something has at least a line. */
export function barHeight(count: number, most: number): number {
  return count === 0 || most === 0 ? 0 : Math.max(2, Math.round((count / most) * HEIGHT));
}

export function DayChart({ title, summary, days, labels }: DayChartProps): ReactNode {
  const most = Math.max(...days.map(({ count }) => count), 0);
  return (
    <figure className={styles.chart}>
      <figcaption>
        <h2>{title}</h2>
        <p>{summary}</p>
      </figcaption>
      <svg viewBox={`0 0 ${days.length * BAR} ${TOP + HEIGHT + BOTTOM}`} aria-hidden="true">
        {days.map(({ day, count }, index) => {
          const height = barHeight(count, most);
          const middle = index * BAR + BAR / 2;
          return (
            <g key={day}>
              <rect x={middle - WIDTH / 2} y={TOP + HEIGHT - height} width={WIDTH} height={height} rx="2" />
              <text x={middle} y={TOP + HEIGHT - height - 4}>
                {count.toLocaleString()}
              </text>
              <text x={middle} y={TOP + HEIGHT + 15}>
                {WEEKDAY.format(dateOf(day))}
              </text>
            </g>
          );
        })}
        <line x1="0" x2={days.length * BAR} y1={TOP + HEIGHT} y2={TOP + HEIGHT} />
      </svg>
      <div className="visually-hidden">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{labels.day}</th>
              <th scope="col">{labels.count}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, count }) => (
              <tr key={day}>
                <td>{FULL_DAY.format(dateOf(day))}</td>
                <td>{count.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
