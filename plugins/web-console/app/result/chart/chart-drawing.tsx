/** Holds a drawn chart in the page and draws it anew when it changes or has another width. */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type DrawnChart, drawChart } from '../../../../chart-kit/index.ts';
import styles from './chart.module.css';
import { svgNode } from './svg-nodes.ts';

export function ChartDrawing({ chart }: { readonly chart: DrawnChart }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (width > 0) place.current?.replaceChildren(svgNode(drawChart(chart, { width, isInteractive: true })));
  }, [chart, width]);

  return <div ref={place} className={styles.drawing} />;
}
