model CartPole "A pole on a cart that a spring and a damper hold to the wall"
  parameter Modelica.Units.SI.Length l = 1.2;
  parameter Modelica.Units.SI.TranslationalSpringConstant k = 5;
  parameter Modelica.Units.SI.TranslationalDampingConstant c = 1;
  inner Modelica.Mechanics.MultiBody.World world(n = {0, 0, -1}, g = 9.81);
  Modelica.Mechanics.MultiBody.Joints.Prismatic rail(n = {1, 0, 0}, useAxisFlange = true,
    s(start = 0, fixed = true), v(start = 0, fixed = true));
  Modelica.Mechanics.MultiBody.Parts.BodyShape cart(r = {0, 0, 0.1}, r_CM = {0, 0, 0}, m = 2,
    I_11 = 2*(0.3^2 + 0.2^2)/12, I_22 = 2*(0.4^2 + 0.2^2)/12, I_33 = 2*(0.4^2 + 0.3^2)/12);
  Modelica.Mechanics.MultiBody.Joints.Revolute pivot(n = {0, 1, 0},
    phi(start = 0.05, fixed = true), w(start = 0, fixed = true));
  Modelica.Mechanics.MultiBody.Parts.BodyShape pole(r = {0, 0, l}, r_CM = {0, 0, l/2}, m = 0.5,
    I_11 = 0.5*l^2/12, I_22 = 0.5*l^2/12, I_33 = 0);
  Modelica.Mechanics.Translational.Components.SpringDamper wall(c = k, d = c);
equation
  connect(world.frame_b, rail.frame_a);
  connect(rail.frame_b, cart.frame_a);
  connect(cart.frame_b, pivot.frame_a);
  connect(pivot.frame_b, pole.frame_a);
  connect(rail.support, wall.flange_a);
  connect(wall.flange_b, rail.axis);
end CartPole;
