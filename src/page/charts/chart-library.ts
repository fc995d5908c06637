/**
 * The parts of Apache ECharts that charts use, bundled as a separate script. It is larger than the rest of the page's
 * program, which therefore does not wait for it to be compiled.
 */
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, LineChart, ScatterChart, GridComponent, TooltipComponent, SVGRenderer]);

Object.assign(globalThis, { chartLibrary: { init } });
