#!/usr/bin/env node
import '../dist/cli/bin/dparse.js';
