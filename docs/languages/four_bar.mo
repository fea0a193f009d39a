model FourBar "Three moving bars and the ground"
  inner Modelica.Mechanics.MultiBody.World world(n = {0, -1, 0}, g = 9.81);
  Modelica.Mechanics.MultiBody.Joints.Revolute ground(n = {0, 0, 1},
    phi(start = Modelica.Constants.pi/2, fixed = true), w(start = 0, fixed = true));
  Modelica.Mechanics.MultiBody.Parts.BodyShape crank(r = {1, 0, 0}, r_CM = {0.5, 0, 0}, m = 1,
    I_11 = 0, I_22 = 1/12, I_33 = 1/12);
  Modelica.Mechanics.MultiBody.Joints.Revolute a(n = {0, 0, 1}, phi(start = -1.2334888));
  Modelica.Mechanics.MultiBody.Parts.BodyShape coupler(r = {3, 0, 0}, r_CM = {1.5, 0, 0}, m = 2,
    I_11 = 0, I_22 = 2*9/12, I_33 = 2*9/12);
  Modelica.Mechanics.MultiBody.Parts.FixedTranslation base(r = {3, 0, 0});
  Modelica.Mechanics.MultiBody.Joints.Revolute pivot(n = {0, 0, 1}, phi(start = 1.6554236));
  Modelica.Mechanics.MultiBody.Parts.BodyShape rocker(r = {2, 0, 0}, r_CM = {1, 0, 0}, m = 1.5,
    I_11 = 0, I_22 = 1.5*4/12, I_33 = 1.5*4/12);
  Modelica.Mechanics.MultiBody.Joints.RevolutePlanarLoopConstraint b(n = {0, 0, 1});
equation
  connect(world.frame_b, ground.frame_a);
  connect(ground.frame_b, crank.frame_a);
  connect(crank.frame_b, a.frame_a);
  connect(a.frame_b, coupler.frame_a);
  connect(world.frame_b, base.frame_a);
  connect(base.frame_b, pivot.frame_a);
  connect(pivot.frame_b, rocker.frame_a);
  connect(coupler.frame_b, b.frame_a);
  connect(rocker.frame_b, b.frame_b);
end FourBar;
