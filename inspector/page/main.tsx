import { render } from 'preact';
import { App } from './app.js';
import { loadFromServer } from './load.js';
import { startPlayer } from './player.js';

render(<App />, document.getElementById('app')!);
startPlayer();
void loadFromServer();
