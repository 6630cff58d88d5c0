/** Draws a pie. */
import type { Drawing, Told } from './bars.ts';
import type { DrawnChart } from './drawn-chart.ts';
import { extent } from './scale.ts';
import { colourOf } from './style.ts';
import { element, rounded } from './svg.ts';

const RADIUS = 140;

/** The order of the points is that of the legend. */
export function drawPie({ drawn: { points } }: DrawnChart, width: number, told: Told): Drawing {
  const radius = Math.min(RADIUS, width / 2 - 8);
  const [centreX, centreY] = [width / 2, radius + 8];
  const [, most] = extent(points.map(({ y }) => y));
  // Of the largest numbers, a sum is none.
  const sizes = points.map(({ y }) => (most > 0 ? y / most : 0));
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  let turned = 0;
  const slices = points.flatMap((point, at) => {
    const part = whole > 0 ? (sizes[at] ?? 0) / whole : 0;
    if (part === 0) return [];
    const begin = turned;
    turned += part;
    const look = { fill: colourOf(at), stroke: '#ffffff', 'stroke-width': 1 };
    if (part > 0.9999) {
      const circle = { cx: rounded(centreX), cy: rounded(centreY), r: rounded(radius) };
      return [told(element('circle', { ...circle, ...look }), point)];
    }
    const [from, to] = [begin, turned].map((share) => {
      const angle = share * 2 * Math.PI;
      return `${rounded(centreX + radius * Math.sin(angle))} ${rounded(centreY - radius * Math.cos(angle))}`;
    });
    const arc = `A${rounded(radius)} ${rounded(radius)} 0 ${part > 0.5 ? 1 : 0} 1 ${to}`;
    const d = `M${rounded(centreX)} ${rounded(centreY)}L${from}${arc}Z`;
    return [told(element('path', { d, ...look }), point)];
  });
  return { elements: [element('g', { class: 'mark-pie' }, slices)], height: 2 * radius + 16 };
}
