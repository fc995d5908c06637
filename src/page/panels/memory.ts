/** Memory of the devices over time. */
import { chart } from '../chart.js';
import { below, GRID, left, tips } from '../chart-style.js';
import { element } from '../element.js';
import { namedFigure } from '../figure.js';
import type { Content, Panel, View } from '../panel.js';
import { inPalette, swatch } from '../strip.js';
import { written } from '../units.js';

function make(view: View): Content {
  const { memory, utilisation } = view.profile;
  const first = utilisation.start;
  if (memory.length === 0)
    return 'The profile holds no memory curve (PyTorch: profile_memory=True; Nsight Systems: --cuda-memory-usage=true).';
  return memory.flatMap(({ device, name, points, peak }, at) => {
    const title = device === null || name.includes(String(device)) ? name : `Device ${device}: ${name}`;
    const colour = inPalette(at);
    const heading = element('p', {}, swatch(colour), element('span', { class: 'text' }, title), ', peak ', namedFigure(`memory.${at}.peak`, peak, 'bytes')); // prettier-ignore
    const label = `${title} over time: peak ${written(peak, 'bytes')}, at the end ${written(points.at(-1)?.[1] ?? null, 'bytes')}`; // prettier-ignore
    const drawing = chart(label, 180, () => ({
      grid: GRID,
      xAxis: below('time from the first work on a device', 'ns', {
        min: (points[0]?.[0] ?? 0) - first,
        max: (points.at(-1)?.[0] ?? 1) - first,
      }),
      yAxis: left('bytes', { min: 0 }),
      tooltip: tips('axis', (i) => [written((points[i]?.[0] ?? 0) - first, 'ns'), [title, written(points[i]?.[1] ?? null, 'bytes')]]), // prettier-ignore
      series: [
        {
          type: 'line',
          step: 'end',
          symbol: 'none',
          data: points.map(([time, bytes]) => [time - first, bytes]),
          lineStyle: { color: colour, width: 1.2 },
          areaStyle: { color: colour, opacity: 0.25 },
          emphasis: { disabled: true },
        },
      ],
    }));
    return [heading, drawing];
  });
}

export const MEMORY: Panel = { id: 'memory', title: 'Device memory over time', width: 3, make };
