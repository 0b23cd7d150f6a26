import { render } from 'preact';
import './styles/base.css';
import './styles/controls.css';
import { App } from './shell/app.tsx';
import { takeKeyFromAddress } from './shell/key.ts';
import { applyTheme } from './shell/theme.ts';

applyTheme();
takeKeyFromAddress();
// An address with a key that is opened where the console is open already.
addEventListener('hashchange', takeKeyFromAddress);
render(<App />, document.getElementById('app')!);
