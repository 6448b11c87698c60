import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { axisTimes, localTime } from '../text/format.ts';

interface Series {
  label: string;
  /** A custom property that holds a colour. */
  color: string;
  values: readonly (number | null)[];
  isFilled?: boolean;
}

export interface PlotProps {
  /** What the chart shows, in a sentence, for who does not see it. */
  summary: string;
  /** Seconds since 1970, one for each value. */
  times: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
}

const HEIGHT_PX = 200;

/** Draws a `Chart`. */
export function Plot({ summary, times, series, format }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const input = useRef({ times, series, format });
  input.current = { times, series, format };

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(element, input.current), dataOf(input.current), element);
    };
    draw();
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    sizes.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    window.addEventListener('themechange', draw);
    return () => {
      sizes.disconnect();
      scheme.removeEventListener('change', draw);
      window.removeEventListener('themechange', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);

  useEffect(() => plot.current?.setData(dataOf({ times, series })), [times, series]);

  return <div className="chart" role="img" aria-label={summary} ref={host} />;
}

function dataOf({ times, series }: Pick<PlotProps, 'times' | 'series'>): uPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])];
}

function optionsOf(element: HTMLElement, { series, format }: Pick<PlotProps, 'series' | 'format'>): uPlot.Options {
  const color = colorsOf(element);
  const axis = { stroke: color('--muted'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    cursor: { drag: { setScale: false } },
    legend: { live: true },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, values: (_plot, marks, _axis, _space, step) => axisTimes(marks, step) },
      { ...axis, size: 64, values: (_plot, values) => values.map(format) },
    ],
    series: [
      { value: (_plot, at) => (at === null ? '–' : localTime(new Date(at * 1000), new Date())) },
      ...series.map(({ label, color: name, isFilled }) => ({
        label,
        stroke: color(name),
        width: 1.5,
        points: { filter: alone },
        ...(isFilled === true ? { fill: color(`${name}-soft`) } : {}),
        value: (_plot: uPlot, value: number | null) => (value === null ? '–' : format(value)),
      })),
    ],
  };
}

/** Values without a neighbour, of which no line would tell. */
function alone(plot: uPlot, seriesIndex: number): number[] {
  const values = plot.data[seriesIndex] ?? [];
  const isThere = (index: number) => typeof values[index] === 'number';
  return [...values.keys()].filter((index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1));
}

/** A canvas knows no custom properties: what they amount to under the present theme is read off an element. */
function colorsOf(element: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = element.appendChild(document.createElement('i'));
    probe.style.color = `var(${name})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
