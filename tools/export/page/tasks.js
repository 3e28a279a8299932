/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lanes of tasks, below those of CPUs: their events, what they began and ended, and what they did.
 * At first there are few: those that had something open at the end, and the busiest.
 */

const FEW_LANES = 4, MOST_LANES = 60;
const NEXT_LANES = { few: 'all', all: 'none', none: 'few' };
let shownTasks = [];

/* Had something not ended that a task began, or was it in uninterruptible sleep? */
function stuckText(task) {
	if (task.bars.some(bars => bars.end.includes(OPEN)))
		return 'not ended';
	return task.runs.end.at(-1) === OPEN && task.runs.state.at(-1) === 'D' ? 'in D' : '';
}
for (const task of tasks)
	task.stuck = stuckText(task);

/* The tasks of an image that may have a lane; the idle ones have those of their CPUs. */
function tasksOf(image) {
	return tasks.filter(task => task.image === image && task.tid !== 0)
		.sort((a, b) => !a.stuck - !b.stuck || a.number - b.number);
}

/* Those of the lanes that it has now */
function choose(image) {
	const all = tasksOf(image);
	return {
		none: [], all: all.slice(0, MOST_LANES),
		few: all.filter(task => task.bars.length || task.runs.begin.length).slice(0, FEW_LANES),
	}[state.taskLanes];
}

/* Beside the name of a lane */
const laneText = lane => lane.nr !== undefined ? lane.stuck || count(lane.nr) :
	lane.undrawn ? `${count(lane.undrawn)} not drawn` : '';

function addTaskLabel(lane) {
	const text = laneText(lane);
	const isTask = lane.number !== undefined;
	const label = make(isTask ? 'button' : 'div', { className: 'task' },
		make('span', { textContent: lane.label }), make('small', { textContent: text }));
	label.style.cssText = `height:${lane.height}px;line-height:${lane.height}px`;
	label.title = [lane.label, text].filter(s => s).join(': ');
	if (isTask) {
		label.dataset.task = lane.number;
		label.setAttribute('aria-pressed', state.tasks.has(lane.number));
		label.onclick = () => toggle(state.tasks, lane.number, label);
	}
	$('labels').append(label);
}

/* How many have no lane, to see them */
function addMoreLabel(image) {
	const more = tasksOf(image).length - choose(image).length;
	const without = more ? ` (${count(more)} have no lane)` : '';
	const text = { few: more && `${count(more)} more`, all: `No tasks${without}`, none: 'Tasks' }[state.taskLanes];
	if (!tasksOf(image).length || !text)
		return 0;
	const button = make('button', { className: 'more', textContent: text, onclick: nextLanes });
	button.title = `${text}: lanes of few tasks, of up to ${MOST_LANES}, or of none (t)`;
	$('labels').append(button);
	return MORE_HEIGHT;
}
const MORE_HEIGHT = 20;

/* Make the labels of an image's tasks, from the height y on; return where they end. */
function layOutTasks(image, y, height) {
	const list = choose(image);
	if (image.requests.bars.length && state.taskLanes !== 'none')
		list.push(image.requests);
	for (const lane of list) {
		y = place(lane, y, height);
		addTaskLabel(lane);
	}
	shownTasks = shownTasks.filter(lane => lane.image !== image).concat(list);
	return y + addMoreLabel(image);
}

/* Change whose lanes are shown: those of few, all, no tasks. */
function nextLanes() {
	const isInside = $('labels').contains(document.activeElement);
	state.taskLanes = NEXT_LANES[state.taskLanes];
	state.height = layOut();
	if (isInside)
		($('labels').querySelector('.more') ?? canvas).focus();
	drawSoon();
}
