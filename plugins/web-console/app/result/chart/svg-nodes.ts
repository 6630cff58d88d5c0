/** Makes elements of the page of a drawn chart: no text becomes HTML on the way. */
import type { SvgElement } from '../../../../chart-kit/index.ts';

const NAMESPACE = 'http://www.w3.org/2000/svg';

export function svgNode({ name, attributes, children, text }: SvgElement): SVGElement {
  const node = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== 'xmlns') node.setAttribute(key, String(value));
  if (text !== undefined) node.textContent = text;
  node.append(...children.map(svgNode));
  return node;
}
