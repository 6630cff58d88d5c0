/** Holds a drawn chart in the page and draws it anew when it changes or has another width. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import styles from './chart.module.css';
import type { DrawnChart } from './drawn-chart.ts';
import { drawChart } from './vega-chart.ts';

interface DrawingProps {
  readonly chart: DrawnChart;
  readonly sentence: string;
}

export default function ChartDrawing({ chart, sentence }: DrawingProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [hasFailed, setHasFailed] = useState(false);

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const container = place.current;
    if (container === null || width === 0) return;
    setHasFailed(false);
    const drawing = drawChart(chart, container);
    drawing.catch(() => setHasFailed(true));
    return () => {
      drawing.then(
        (remove) => remove(),
        () => undefined,
      );
    };
  }, [chart, width]);

  return (
    <>
      {hasFailed && <p>{TEXTS.chart.failed}</p>}
      <div role="img" aria-label={sentence} className={styles.drawing}>
        <div ref={place} aria-hidden="true" />
      </div>
    </>
  );
}
