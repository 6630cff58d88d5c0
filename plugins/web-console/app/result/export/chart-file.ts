/** Makes files of a chart: SVG as text, PNG by a canvas, since the page's policy allows no picture of a text. */
import { type DrawnChart, drawChart, type SvgElement, svgText } from '../../../../chart-kit/index.ts';

const LOOK = { width: 900, background: '#ffffff' };
const PNG_SCALE = 2;

/** The chart in light colours on white. */
export async function chartFile(chart: DrawnChart, type: 'svg' | 'png'): Promise<Blob> {
  const tree = drawChart(chart, LOOK);
  if (type === 'svg') return new Blob([svgText(tree)], { type: 'image/svg+xml' });
  const canvas = document.createElement('canvas');
  canvas.width = Number(tree.attributes.width) * PNG_SCALE;
  canvas.height = Number(tree.attributes.height) * PNG_SCALE;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser made no image.');
  context.scale(PNG_SCALE, PNG_SCALE);
  paint(context, tree);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('The browser made no image.');
  return blob;
}

function paint(context: CanvasRenderingContext2D, { name, attributes, children, text }: SvgElement): void {
  const number = (key: string) => Number(attributes[key] ?? 0);
  const word = (key: string) => String(attributes[key] ?? '');
  context.save();
  const [, x, y] = /^translate\((\S+) (\S+)\)$/.exec(word('transform')) ?? [];
  if (x !== undefined && y !== undefined) context.translate(Number(x), Number(y));
  if (name === 'text') {
    context.font = `${word('font-size')}px ${word('font-family')}`;
    context.textAlign = word('text-anchor') === 'middle' ? 'center' : (word('text-anchor') as CanvasTextAlign);
    context.fillStyle = word('fill');
    context.fillText(text ?? '', number('x'), number('y'));
  } else {
    const path = new Path2D(word('d'));
    if (name === 'rect') path.roundRect(number('x'), number('y'), number('width'), number('height'), number('rx'));
    if (name === 'circle') path.arc(number('cx'), number('cy'), number('r'), 0, 2 * Math.PI);
    if (name === 'line') {
      path.moveTo(number('x1'), number('y1'));
      path.lineTo(number('x2'), number('y2'));
    }
    if ('fill' in attributes && word('fill') !== 'none') {
      context.globalAlpha = Number(attributes['fill-opacity'] ?? 1);
      context.fillStyle = word('fill');
      context.fill(path);
      context.globalAlpha = 1;
    }
    if ('stroke' in attributes) {
      context.strokeStyle = word('stroke');
      context.lineWidth = number('stroke-width');
      context.lineJoin = 'round';
      context.stroke(path);
    }
  }
  for (const child of children) paint(context, child);
  context.restore();
}
