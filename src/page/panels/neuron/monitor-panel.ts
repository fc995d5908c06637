/** A run as neuron-monitor reported it: charts of what `dprof monitor` prints. */
import { definitions, element, section } from '../../document/dom-elements.js';
import { figure } from '../../figures/figure.js';
import { lineChart } from '../../charts/line-chart.js';
import type { Panel, PanelContent, PanelView } from '../../panel.js';

function make(view: PanelView): PanelContent {
  const { monitor } = view.profile;
  if (monitor === null) return 'The profile is none of neuron-monitor.';
  const { facts, errors, charts } = monitor;
  const known = Object.entries(facts).filter(([, value]) => value !== '');
  return [
    element('p', {}, 'Reports: ', figure(view, 'monitor.reports', 'count'), '.'),
    ...(errors.length === 0
      ? []
      : [
          section(
            'What the monitor could not report',
            element(
              'ul',
              {},
              ...errors.map(({ where, text, count }) => element('li', {}, `${where}: ${text} (${count} reports)`)),
            ),
          ),
        ]),
    element('div', { class: 'charts' }, ...charts.map((group) => section(group.title, ...lineChart(group)))),
    ...(known.length === 0
      ? []
      : [
          section(
            'The instance',
            element('dl', { class: 'evidence' }, ...definitions(known.map(([name, value]) => [name, String(value)]))),
          ),
        ]),
  ];
}

export const MONITOR: Panel = {
  ...{ id: 'monitor', title: 'The run as neuron-monitor reported it', width: 6, make },
  isFor: ({ profile }) => profile.monitor !== null,
};
